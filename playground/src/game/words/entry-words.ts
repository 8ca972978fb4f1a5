import type { Input, View } from '../../../../src/core/index.ts';
import { catalogue } from '../../../../src/protocols/index.ts';
import {
  eventWords,
  Habits,
  inputWords,
  type StepScene,
  tellStep,
  Vocabulary,
} from '../../../../src/story/index.ts';
import type { Entry, EventEntry, History, MemberShot, StepEntry } from '../history/history.ts';
import { inItsWords } from './term-words.ts';

/** Half of the smallest step of virtual time: just before. */
const INSTANT_MS = 0.0005;
const NO_LANES: StepScene['lanes'] = new Map();

/** Every message is shown: there is a line for each step. */
class Talkative extends Vocabulary {
  override isTelling(): boolean {
    return true;
  }
}

/** Puts the entries of one history into words, the same as in the command where possible. */
export class Teller {
  readonly protocol: string;
  readonly #history: History;
  readonly #vocabulary: Vocabulary;

  constructor(history: History, protocol: string) {
    this.#history = history;
    this.protocol = protocol;
    this.#vocabulary = new Talkative(history.members, catalogue[protocol]!, new Habits());
  }

  /** One line, without its time. */
  tell(entry: Entry): string {
    const words = entry.kind === 'event' ? this.#event(entry) : this.#step(entry);
    return inItsWords(words, this.protocol);
  }

  /** The input of the member: "hears vote from 2". */
  tellInput(input: Input): string {
    return inItsWords(this.#input(input), this.protocol);
  }

  #event({ atMs, event }: EventEntry): string {
    return eventWords(
      [{ kind: 'event', atMs, event, about: null, lanes: NO_LANES, weight: 0 }],
      this.#vocabulary,
    );
  }

  #step(entry: StepEntry): string {
    const { atMs, member, input, effects } = entry;
    const sends = effects.filter((effect) => effect.type === 'send');
    const { before, after } = changeOf(entry, this.#history);
    const heard = `${member} ${this.#input(input)}`;
    if (after === null && sends.length === 0) return heard;
    const scene: StepScene = {
      kind: 'step',
      atMs,
      member,
      input,
      sends,
      parent: null,
      collected: [],
      tries: 1,
      repeats: false,
      before,
      after,
      lanes: NO_LANES,
      weight: 1,
    };
    const { change, isMinor, sends: sent } = tellStep([scene], false, this.#vocabulary);
    if (change === null) return `${heard}: ${sent.join(' · ')}`;
    // Only a start.
    if (isMinor && before === null) return heard;
    return `${heard}, ${[change, ...sent].join(' · ')}`;
  }

  #input(input: Input): string {
    return inputWords(input, (message) => this.#vocabulary.describe(message));
  }
}

interface Change {
  readonly before: View | null;
  /** Null if nothing visible has changed. */
  readonly after: View | null;
}

/** What a step changed of what its member believes. */
export function changeOf({ atMs, member, effects }: StepEntry, history: History): Change {
  const after = effects.findLast((effect) => effect.type === 'report')?.view;
  if (after === undefined) return { before: null, after: null };
  const before = history.memberAt(member, atMs - INSTANT_MS);
  if (before === undefined || !before.alive) return { before: null, after };
  return { before, after: isNews(before, after) ? after : null };
}

function isNews(before: MemberShot, after: View): boolean {
  return (
    before.role !== after.role ||
    before.leader !== after.leader ||
    before.term !== after.term ||
    before.version !== after.version
  );
}
