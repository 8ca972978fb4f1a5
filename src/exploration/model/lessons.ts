/** What an exploration learns about its protocol on the way and needed to know from the start. */
export interface Lessons {
  /** The names of timers that bounded a leadership, with numbers replaced: "lease #". */
  readonly leaseTimers: readonly string[];
  /** The maximum lengths of such timers, all that were seen, shortest first. */
  readonly leaseMs: readonly number[];
  /** Why members are not interchangeable, or null as long as they are. */
  readonly asymmetry: string | null;
  /** Why nothing about earlier terms can be dropped, or null as long as it can. */
  readonly memory: string | null;
  /** The types of messages that can matter even to a receiver that has left their term. */
  readonly lastingTypes: readonly string[];
}

export const NO_LESSONS: Lessons = {
  leaseTimers: [],
  leaseMs: [],
  asymmetry: null,
  memory: null,
  lastingTypes: [],
};

/**
 * Thrown when a lesson is learned: the exploration starts again with it. That happens early, and a few times at most.
 */
export class Learned extends Error {
  readonly lessons: Lessons;

  constructor(lessons: Lessons) {
    super('the exploration learned something and begins again');
    this.lessons = lessons;
  }
}
