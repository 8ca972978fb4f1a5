/** What an exploration finds out about its protocol on the way and would have had to know from the start. */
export interface Lessons {
  /** The names of timers that bound a leadership, with numbers replaced: "lease #". */
  readonly leaseTimers: readonly string[];
  /** How long such timers run at most, in all the lengths that were seen, shortest first. */
  readonly leaseMs: readonly number[];
  /** Why members cannot be exchanged for each other, or null as long as they can. */
  readonly asymmetry: string | null;
  /** Why nothing about earlier terms can be forgotten, or null as long as it can. */
  readonly memory: string | null;
  /** The types of messages that can matter even to a receiver that has left their term behind. */
  readonly lastingTypes: readonly string[];
}

export const NO_LESSONS: Lessons = {
  leaseTimers: [],
  leaseMs: [],
  asymmetry: null,
  memory: null,
  lastingTypes: [],
};

/** Thrown where a lesson is learned: the exploration begins again with it. That happens early, and a few times at most. */
export class Learned extends Error {
  readonly lessons: Lessons;

  constructor(lessons: Lessons) {
    super('the exploration learned something and begins again');
    this.lessons = lessons;
  }
}
