import type { Command, Outcome, View } from '../core/index.ts';
import type { Resting } from '../host/index.ts';
import type { Pace, Paced } from './pace.ts';

/** What a campaign needs of its election. */
interface Campaigning {
  readonly view: View;
  /** The leadership that this process holds, or null. */
  readonly held: object | null;
  /** Timers that were due and waited run now. False: none waited. */
  readonly host: { goOn(): boolean; readonly resting: Resting };
  order(command: Command): Promise<Outcome>;
}

/** The place of one election among those of its process that campaign at a time (pace.ts). */
export class Campaign implements Paced {
  readonly #election: Campaigning;
  readonly #pace: Pace | undefined;
  readonly #mayRest: boolean;
  /** It waits for a place. */
  #isDue = false;

  constructor(election: Campaigning, pace: Pace | undefined, mayRest: boolean) {
    this.#election = election;
    this.#pace = pace;
    this.#mayRest = mayRest;
  }

  get resting(): Resting {
    return this.#election.host.resting;
  }

  get isLed(): boolean {
    return this.#election.view.leader !== null;
  }

  get isUnsettled(): boolean {
    return this.#mayRest && this.#election.held !== null && !this.#election.host.resting.isOn;
  }

  /** Campaigns now, or when it has a place, if there is no leader then. */
  start(): void {
    if (this.isLed) return;
    this.#isDue = this.waits();
    if (!this.#isDue) void this.#election.order({ type: 'campaign' });
  }

  /** Do timers that are due have to wait? */
  waits(): boolean {
    return this.#pace?.enter(this) === false;
  }

  /** To be called when the election has changed. */
  look(): void {
    this.#pace?.look(this);
  }

  /** Passes on whether the election rests from now on. */
  settled(rests: boolean): boolean {
    if (rests) this.look();
    return rests;
  }

  goOn(): void {
    const isDue = this.#isDue;
    this.#isDue = false;
    // If the timer that lets it campaign was due, that was enough.
    if (!this.#election.host.goOn() && isDue && !this.isLed) void this.#election.order({ type: 'campaign' });
    this.look();
  }
}
