/**
 * Voters of `draw` with addresses, in one process and without a clock: a random source decides which message arrives,
 * is lost or is late, and which timer fires. Each voter has options of its own, so they can be told different numbers
 * of voters and be started again with others, which one scenario of the simulator cannot say.
 */
import {
  type Effect,
  type Input,
  type Json,
  type MemberId,
  type Message,
  type Protocol,
  Random,
  readSettings,
  type View,
} from '../../src/core/index.ts';
import { draw } from '../../src/protocols/draw/index.ts';

type Sent = Effect & { readonly type: 'send' | 'call' };

interface Running {
  readonly protocol: Protocol;
  readonly state: unknown;
  readonly timers: Set<string>;
  view: View | null;
}

interface InFlight {
  readonly from: MemberId;
  readonly to: MemberId;
  readonly message: Message;
}

export class DrawMesh {
  readonly #random: Random;
  readonly #running = new Map<MemberId, Running>();
  readonly #disks = new Map<MemberId, Json>();
  readonly #seeds: readonly string[];
  #inFlight: InFlight[] = [];
  /** The leader of each election number. */
  readonly leaders: Map<number, MemberId> = new Map();
  /** Numbers that two voters led. */
  readonly shared: string[] = [];
  /** The share of messages that is lost. */
  loss = 0;
  /** Pairs that are cut off from each other, as `a b`. */
  readonly cuts: Set<string> = new Set();

  constructor(seed: number, ids: readonly MemberId[]) {
    this.#random = new Random(seed, 'mesh');
    this.#seeds = ids.map(addressOf);
  }

  get running(): readonly MemberId[] {
    return [...this.#running.keys()];
  }

  view(id: MemberId): View | null {
    return this.#running.get(id)?.view ?? null;
  }

  state(id: MemberId): unknown {
    return this.#running.get(id)?.state;
  }

  /** Starts it with its disk, and with this number of voters. */
  start(id: MemberId, voters: number): void {
    this.#running.delete(id);
    const protocol = draw.create({
      timing: readSettings(draw.timing, {}, 'timing'),
      options: readSettings(draw.options, { quorum: true, voters }, 'options'),
    });
    const addresses = { own: addressOf(id), peers: [], seeds: this.#seeds, isPartial: true };
    const state = protocol.init({ id, members: [id], settings: {}, addresses });
    this.#running.set(id, { protocol, state, timers: new Set(), view: null });
    this.#give(id, { type: 'start', saved: this.#disks.get(id) ?? null, incarnation: 1, life: 'x' });
  }

  crash(id: MemberId): void {
    this.#running.delete(id);
  }

  wipe(id: MemberId): void {
    this.#disks.delete(id);
  }

  /** Some message arrives, or some timer fires. Messages are faster than timers. */
  step(): void {
    if (this.#inFlight.length > 0 && this.#random.chance(0.99)) return this.#deliver();
    const id = this.#random.pick(this.running);
    const timer = id === undefined ? undefined : this.#random.pick([...this.#running.get(id)!.timers]);
    if (timer === undefined) return;
    this.#running.get(id!)!.timers.delete(timer);
    this.#give(id!, { type: 'timer', timer });
  }

  #deliver(): void {
    // Most arrive in order; some are late.
    const at = this.#random.chance(0.8) ? 0 : this.#random.below(this.#inFlight.length);
    const [sent] = this.#inFlight.splice(at, 1);
    const { from, to, message } = sent!;
    if (this.#random.chance(this.loss) || this.cuts.has(`${from} ${to}`) || this.cuts.has(`${to} ${from}`))
      return;
    if (this.#running.has(to)) this.#give(to, { type: 'message', from, message });
  }

  #give(id: MemberId, input: Input): void {
    const { protocol, state, timers } = this.#running.get(id)!;
    const out: Effect[] = [];
    protocol.step(state, input, out);
    for (const effect of out) this.#carryOut(id, effect, timers);
  }

  #carryOut(id: MemberId, effect: Effect, timers: Set<string>): void {
    switch (effect.type) {
      case 'send':
      case 'call':
        return this.#send(id, effect);
      case 'save':
        this.#disks.set(id, structuredClone(effect.record));
        return;
      case 'set-timer':
        timers.add(effect.timer);
        return;
      case 'cancel-timer':
        timers.delete(effect.timer);
        return;
      case 'draw':
        return this.#give(id, { type: 'drawn', draw: effect.draw, value: String(this.#random.below(1e6)) });
      case 'report':
        return this.#report(id, effect.view);
      case 'answer':
        return;
    }
  }

  #send(from: MemberId, effect: Sent): void {
    const to = effect.type === 'send' ? effect.to : idAt(effect.at);
    if (to !== from) this.#inFlight.push({ from, to, message: structuredClone(effect.message) as Message });
  }

  #report(id: MemberId, view: View): void {
    this.#running.get(id)!.view = view;
    if (view.leader !== id || view.term === null) return;
    const before = this.leaders.get(view.term);
    if (before !== undefined && before !== id) this.shared.push(`${view.term}: ${before} and ${id}`);
    this.leaders.set(view.term, id);
  }
}

function addressOf(id: MemberId): string {
  return `http://${id}`;
}

function idAt(address: string): MemberId {
  return address.slice('http://'.length);
}
