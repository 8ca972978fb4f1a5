import type { Effect, Input, Json, MemberId, Message, Outcome, RestOffer } from '../core/index.ts';
import type { HostPorts } from '../host/index.ts';
import type { Campaign } from './campaign.ts';
import type { Clock } from './clock.ts';
import type { Door } from './door.ts';
import { draw64 } from './draw-name.ts';
import type { Pending } from './pending.ts';
import type { PostAnswers } from './post-answers.ts';
import type { Standing } from './standing.ts';
import type { Surroundings } from './surroundings.ts';

/** The election that the ports belong to. */
interface PortedElection {
  readonly answers: PostAnswers;
  readonly campaigning: Campaign;
  readonly door: Door;
  readonly pending: Pending;
  readonly standing: Standing;
  onChange(): void;
}

/** What the host of one election asks of its member. A class, since a member may have thousands: they share its functions. */
export class ElectionPorts implements HostPorts {
  readonly around: Surroundings;
  protected readonly election: PortedElection;
  /** The message that is being processed, or null. */
  #cause: Extract<Input, { type: 'message' }> | null = null;

  static of(election: PortedElection, around: Surroundings): ElectionPorts {
    return around.mayRest === undefined
      ? new ElectionPorts(election, around)
      : new RestingPorts(election, around);
  }

  protected constructor(election: PortedElection, around: Surroundings) {
    this.election = election;
    this.around = around;
  }

  get clock(): Clock {
    return this.around.clock;
  }

  fraction(): number {
    return Math.random();
  }

  draw64(): string {
    return draw64();
  }

  send(to: MemberId, message: Message, at?: string): void {
    if (!this.election.answers.take(to, message)) this.around.send(to, message, at);
  }

  call(at: string, message: Message, to?: MemberId): void {
    this.around.call?.(at, message, to);
  }

  /** The time for which a save blocks this process is charged to the member that sent the message. */
  save(record: Json, done: (failure: string | null) => void): void {
    const { standing, door } = this.election;
    if (standing.aside !== null) return done(standing.aside.detail);
    const { around } = this;
    const blocks = around.saveSoon === undefined || around.blocks?.() === true;
    const [cause, startMs] = [this.#cause, around.clock.now()];
    const failure = blocks ? around.save(record) : null;
    if (cause !== null) door.charge(cause.from, cause.message, around.clock.now() - startMs);
    if (blocks) done(failure);
    else around.saveSoon!(record, done);
  }

  stepped(input: Input, effects: readonly Effect[]): void {
    this.#cause = input.type === 'message' ? input : null;
    this.around.stepped(input, effects);
  }

  reported(): void {}

  answered(command: number, outcome: Outcome): void {
    this.election.pending.answer(command, outcome);
  }

  waits(): boolean {
    return this.around.pace !== undefined && this.election.campaigning.waits();
  }

  same<V extends Json>(value: V): V {
    return this.around.same?.(value) ?? value;
  }

  changed(): void {
    this.#cause = null;
    this.election.onChange();
  }
}

class RestingPorts extends ElectionPorts {
  mayRest(offer: RestOffer): boolean {
    const { campaigning } = this.election;
    return campaigning.settled(this.around.mayRest!(campaigning.resting, offer));
  }
}
