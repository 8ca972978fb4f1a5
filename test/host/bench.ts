/** The host of member a, with a protocol that does what a rule says, a clock that the rule moves, and a disk whose saves it ends. */
import type {
  Command,
  Effect,
  Input,
  Json,
  MemberId,
  Message,
  Protocol,
  View,
} from '../../src/core/index.ts';
import type * as Host from '../../src/host/index.ts';
import { VirtualClock } from '../member/virtual.ts';

/** Notices a sleep when it is looked at, as the clock of a system does, and counts the alarms that are set. */
class Clock extends VirtualClock {
  readonly alarms: Set<object> = new Set();
  unnoticedMs = 0;

  override now(): number {
    if (this.unnoticedMs > 0) this.sleep(this.unnoticedMs);
    this.unnoticedMs = 0;
    return super.now();
  }

  override set(atMs: number, run: () => void): () => void {
    const alarm = {};
    this.alarms.add(alarm);
    const cancel = super.set(atMs, () => {
      this.alarms.delete(alarm);
      run();
    });
    return () => {
      this.alarms.delete(alarm);
      cancel();
    };
  }
}

/** A message of this type hands the lead to its receiver, one of the other names a leader that has led for a while. */
export const HANDOVER: Message = { type: 'handover' };
export const NEWS: Message = { type: 'news' };

export class Bench {
  readonly clock: Clock = new Clock();
  readonly host: Host.ProtocolHost;
  /** What happened, in words: 'send m', 'report leader 5', 'answer 1 done', 'save 1', 'changed'. */
  readonly log: string[] = [];
  readonly inputs: Input[] = [];
  /** What the disk does with a record. */
  disk: 'takes' | 'holds' | 'refuses' = 'takes';
  /** What the protocol does when such a timer comes due, or such a command is given. */
  readonly replies: Map<string, readonly Effect[]> = new Map();
  onReport: () => void = () => {};
  onStep: () => void = () => {};
  onChange: () => void = () => {};
  readonly #saves: ((failure: string | null) => void)[] = [];
  #next: readonly Effect[] = [];

  constructor({ ProtocolHost }: typeof Host) {
    const commands: readonly Command['type'][] = ['resign', 'campaign', 'publish'];
    this.host = new ProtocolHost({ id: 'a', members: ['a', 'b'], settings: {} }, this.#protocol(), commands, {
      clock: this.clock,
      fraction: () => 0.5,
      draw64: () => '7',
      send: (_, message) => this.log.push(`send ${message.type}`),
      save: (record, done) => this.#save(record, done),
      stepped: () => this.onStep(),
      reported: ({ role, term }) => {
        this.log.push(`report ${role} ${term}`);
        this.onReport();
      },
      answered: (command, { status }) => this.log.push(`answer ${command} ${status}`),
      changed: () => {
        this.log.push('changed');
        this.onChange();
      },
    });
    this.host.start(null, 1, 'life');
  }

  /** The protocol does this in one step, by a message if one is given. */
  play(effects: readonly Effect[], message?: Message): void {
    this.#next = effects;
    this.host.give(
      message === undefined ? { type: 'peer-back', peer: 'b' } : { type: 'message', from: 'b', message },
    );
  }

  /** The disk is done with the oldest record that it holds, or with the one that comes so many after it. */
  ended(failure: string | null = null, later = 0): void {
    this.#saves.splice(later, 1)[0]!(failure);
  }

  /** The log since the last call, without that something changed. */
  news(): string {
    return this.log
      .splice(0)
      .filter((each) => each !== 'changed')
      .join(', ');
  }

  /** The types of the inputs that were taken since the last call; of commands and timers, which. */
  taken(): string {
    return this.inputs.splice(0).map(named).join(', ');
  }

  #protocol(): Protocol {
    return {
      name: 'script',
      pledges: [],
      init: () => ({}),
      ending: (message) =>
        message.type === HANDOVER.type
          ? { how: 'receiver' }
          : 'why' in message
            ? { how: 'freed', why: message.why as { cause: string; detail: string } }
            : null,
      ledMs: (message) => (message.type === NEWS.type ? null : undefined),
      step: (_, input, out) => {
        if (input.type === 'start') return;
        this.inputs.push(input);
        out.push(...(this.replies.get(named(input)) ?? []));
        if (input.type !== 'peer-back' && input.type !== 'message') return;
        out.push(...this.#next);
        this.#next = [];
      },
    };
  }

  #save(record: Json, done: (failure: string | null) => void): void {
    this.log.push(`save ${JSON.stringify(record)}`);
    if (this.disk === 'takes') done(null);
    else if (this.disk === 'refuses') done('no space left on device');
    else this.#saves.push(done);
  }
}

function named(input: Input): string {
  if (input.type === 'command') return input.command.type;
  return input.type === 'timer' ? input.timer : input.type;
}

export const save = (record: Json): Effect => ({ type: 'save', record });
export const send = (type: string): Effect => ({ type: 'send', to: 'b', message: { type } });
export const timer = (name: string, delayMs: number): Effect => ({ type: 'set-timer', timer: name, delayMs });

export function report(role: View['role'], term: number, more: Partial<View> = {}): Effect {
  const leader: MemberId = role === 'leader' ? 'a' : 'b';
  return { type: 'report', view: { role, leader, term, lease: null, version: 0, value: null, ...more } };
}

/** It leads under a lease of 100 milliseconds. */
export const LEADS: readonly Effect[] = [timer('lease', 100), report('leader', 5, { lease: 'lease' })];
