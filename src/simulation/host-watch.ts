import type { Effect, Json, MemberId, Message, Outcome, Role, View } from '../core/index.ts';
import type { Surroundings } from './surroundings.ts';
import { toMs } from './time.ts';

/**
 * Watches the host of one process (src/host) from outside: what the protocol asks for in each step, what leaves the process, and
 * what its disk has made durable. The host promises, whatever the protocol:
 *
 * - H1: nothing leaves before the record that stands before it is durable.
 * - H2: a token whose lease has run out is never used again.
 * - H3: a command is answered at most once, and by the process that it was given to.
 * - H4: a leader that gives up stops at once, and waits for no disk.
 *
 * Breaking H1 seldom breaks a promise of the protocol: a crash would have to come in the few milliseconds of one sync.
 */
export class HostWatch {
  readonly #world: Surroundings;
  readonly #name: MemberId;
  /** Records are counted as the protocol asks for them. */
  readonly #numbers = new Map<Json, number>();
  #asked = 0;
  #durable = 0;
  /** The number of the record that a message or view must wait for; of an answer, by the number of its command. */
  readonly #waiting = new Map<Message | View | number, number>();
  readonly #unanswered = new Set<number>();
  readonly #told = new Set<string>();
  /** What the protocol last said of itself, whether or not that has left the process. */
  #role: Role = 'none';
  /** Did the process lead, by what it last showed? */
  #leads = false;
  #token: number | null = null;

  constructor(world: Surroundings, name: MemberId) {
    this.#world = world;
    this.#name = name;
  }

  given(command: number): void {
    this.#unanswered.add(command);
  }

  /** The process may act from now on, under a lease, and could not the moment before. */
  acts(token: number | null): void {
    if (token !== null && token === this.#token) this.#tell('H2', `it acts again with token ${token}`);
    this.#token = token;
  }

  /** The protocol has taken an input, and asks for these effects. */
  stepped(effects: readonly Effect[]): void {
    for (let i = 0; i < effects.length; i++) {
      const effect = effects[i]!;
      const { type } = effect;
      if (type === 'save') this.#numbers.set(effect.record, ++this.#asked);
      else if (type === 'report') this.#role = effect.view.role;
      if (this.#durable < this.#asked) this.#mustWait(effect);
    }
  }

  /** A message that is sent to several members is one object: it may leave as early as the first of them. */
  #mustWait(effect: Effect): void {
    const what = whatLeaves(effect);
    if (what !== null && !this.#waiting.has(what)) this.#waiting.set(what, this.#asked);
  }

  /** A record is durable, and so is all that stood in those before it. */
  saved(record: Json): void {
    const number = this.#numbers.get(record) ?? 0;
    this.#numbers.delete(record);
    this.#durable = Math.max(this.#durable, number);
    if (this.#durable < this.#asked) return;
    this.#waiting.clear();
    this.#numbers.clear();
  }

  sends(message: Message): void {
    this.#leaves(message, message.type);
  }

  reported(view: View): void {
    this.#leads = view.role === 'leader';
    this.#leaves(view, 'a report');
  }

  #leaves(what: Message | View | number, name: string): void {
    if (this.#durable === this.#asked) return;
    if ((this.#waiting.get(what) ?? 0) > this.#durable)
      this.#tell('H1', `${name} left before the record that stands before it was durable`);
  }

  /** That a command was refused, or has failed, rests on no record. */
  answered(command: number, outcome: Outcome): void {
    if (outcome.status === 'done') this.#leaves(command, `the answer to command ${command}`);
    if (!this.#unanswered.delete(command))
      this.#tell('H3', `command ${command} was answered twice, or was never given to this process`);
  }

  /** An input was taken, or a save has ended. */
  changed(): void {
    if (this.#leads && this.#role !== 'leader')
      this.#tell('H4', `it leads, although its protocol has given up the lead (${this.#role})`);
  }

  /** Once for each property: a broken one goes on being broken. */
  #tell(property: string, detail: string): void {
    if (this.#told.has(property)) return;
    this.#told.add(property);
    const { violations, nowUs } = this.#world;
    const at = { atMs: toMs(nowUs), members: [this.#name] };
    violations.push({ property, claimed: true, ...at, detail: `${this.#name}: ${detail}` });
  }
}

function whatLeaves(effect: Effect): Message | View | number | null {
  switch (effect.type) {
    case 'send':
    case 'call':
      return effect.message;
    case 'report':
      return effect.view;
    case 'answer':
      return effect.command;
    case 'save':
    case 'draw':
    case 'set-timer':
    case 'cancel-timer':
      return null;
  }
}
