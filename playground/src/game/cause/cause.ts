import type { MemberId, Protocol } from '../../../../src/core/index.ts';
import type { Flight } from '../history/flights.ts';
import type { Entry, History, StepEntry } from '../history/history.ts';
import type { Alarm } from './alarms.ts';
import { inForceAt } from './in-force.ts';

const MOST_FAULTS = 8;
const MOST_UNHEARD = 6;
/** A ring of a hundred is followed once around; longer chains are cut. */
const LONGEST_CHAIN = 120;
const UNHEARD: readonly Flight['fate'][] = ['lost', 'cut', 'dropped', 'held'];

/** The history of an alarm, as indexes of entries. */
export interface Cause {
  readonly entries: ReadonlySet<number>;
  /** As places in `flights.all`. */
  readonly flights: ReadonlySet<number>;
  /** The entries that explain it, in their order: faults, candidacies, the votes that counted, the wins. */
  readonly story: readonly Entry[];
  /** Messages between the leaders that never arrived, and how many more of them there were. */
  readonly unheard: readonly Flight[];
  readonly moreUnheard: number;
}

/** Walks back from an alarm to its causes. */
export function causeOf(alarm: Alarm, history: History, vote: Protocol['vote']): Cause {
  const walk = new Walk(history, vote);
  const members =
    alarm.kind === 'broken' ? alarm.violation.members : alarm.leaders.map(({ member }) => member);
  const wins: StepEntry[] = [];
  for (const member of members) {
    const win = winOf(history, member, alarm.fromMs);
    if (win === null) continue;
    wins.push(win);
    walk.win(win);
  }
  const faults = inForceAt(history, alarm.fromMs, MOST_FAULTS);
  for (const { index } of faults) walk.entries.add(index);
  const sinceMs = wins.length === 0 ? alarm.fromMs : Math.min(...wins.map((win) => win.atMs));
  const unheard = unheardBetween(history, members, sinceMs, alarm.toMs ?? history.entriesMs.at(-1) ?? 0);
  const told = unheard.slice(0, MOST_UNHEARD);
  for (const flight of told) walk.fly(flight);
  const story = [...walk.told, ...faults].sort((a, b) => a.index - b.index);
  return {
    entries: walk.entries,
    flights: walk.flights,
    story,
    unheard: told,
    moreUnheard: unheard.length - told.length,
  };
}

/** The step by which it became the leader that it was at that moment. */
function winOf(history: History, member: MemberId, ms: number): StepEntry | null {
  let win: StepEntry | null = null;
  for (let i = history.countAt(ms) - 1; i >= 0; i--) {
    const entry = history.entries[i]!;
    if (entry.kind !== 'step' || entry.member !== member) continue;
    const view = entry.effects.findLast((effect) => effect.type === 'report')?.view;
    if (view === undefined) continue;
    // A leader may report again, with a new lease: the first report of this term counts.
    if (view.role !== 'leader') return win;
    if (win !== null && termOf(win) !== view.term) return win;
    win = entry;
  }
  return win;
}

function termOf({ effects }: StepEntry): number | null {
  return effects.findLast((effect) => effect.type === 'report')?.view.term ?? null;
}

function unheardBetween(
  history: History,
  members: readonly MemberId[],
  fromMs: number,
  toMs: number,
): Flight[] {
  return history.flights
    .between(fromMs, toMs)
    .filter(({ from, to, fate }) => UNHEARD.includes(fate) && members.includes(from) && members.includes(to));
}

class Walk {
  readonly entries = new Set<number>();
  readonly flights = new Set<number>();
  readonly told = new Set<Entry>();
  readonly #history: History;
  readonly #vote: Protocol['vote'];

  constructor(history: History, vote: Protocol['vote']) {
    this.#history = history;
    this.#vote = vote;
  }

  /** A win goes back to the message that decided it, and to every earlier vote. */
  win(win: StepEntry): void {
    this.told.add(win);
    this.#back(win);
    const term = termOf(win);
    const { entries } = this.#history;
    for (let i = win.index; i >= 0; i--) {
      const entry = entries[i]!;
      if (entry.kind !== 'step' || entry.member !== win.member || entry.input.type !== 'message') continue;
      const vote = this.#vote?.(entry.input.message);
      if (!vote) continue;
      if (vote.term !== term) break;
      this.#back(entry);
    }
  }

  fly(flight: Flight): void {
    this.flights.add(this.#history.flights.placeOf(flight));
  }

  /** From message to message, back to a timer, a start or a command, where a member began by itself. */
  #back(last: StepEntry): void {
    let entry: StepEntry = last;
    for (let steps = 0; steps < LONGEST_CHAIN && !this.entries.has(entry.index); steps++) {
      this.entries.add(entry.index);
      const { arrival } = entry;
      if (arrival === null) {
        this.told.add(entry);
        return;
      }
      this.fly(arrival);
      if (this.#vote?.(arrival.message)) this.#tellSender(arrival);
      const sender = this.#history.entries[arrival.sentBy];
      if (sender?.kind !== 'step') return;
      entry = sender;
    }
  }

  #tellSender({ sentBy }: Flight): void {
    const voter = this.#history.entries[sentBy];
    if (voter !== undefined) this.told.add(voter);
  }
}
