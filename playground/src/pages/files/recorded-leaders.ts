import type {
  Assumption,
  MemberId,
  Pledge,
  TraceEvent,
  TraceStep,
  View,
} from '../../../../src/core/index.ts';
import { type Finding, isPromised, type Process, Watch } from '../../../../src/properties/index.ts';
import { Ledger, nameOfTwin, toUs, type Violation } from '../../../../src/simulation/index.ts';

interface Known {
  view: View | null;
  /** When the timers that are set come due. */
  readonly timers: Map<string, number>;
}

/** The members that led and those that could act, derived from their reports, as the world does in a simulation. */
export class RecordedLeaders {
  readonly claims: Ledger = new Ledger();
  readonly acting: Ledger = new Ledger();
  readonly violations: Violation[] = [];
  readonly #known = new Map<MemberId, Known>();
  readonly #properties: Watch;
  readonly #broken = new Set<Assumption>();
  readonly #pledges: readonly Pledge[];
  #nowMs = 0;

  constructor(pledges: readonly Pledge[]) {
    this.#pledges = pledges;
    this.#properties = new Watch((finding) => this.#find(finding));
  }

  onStep({ atMs, member, input, effects }: TraceStep, dueMs: (i: number) => number): void {
    this.passTo(atMs);
    const known = this.#of(member);
    if (input.type === 'timer') known.timers.delete(input.timer);
    if (input.type === 'start') known.timers.clear();
    effects.forEach((effect, i) => {
      if (effect.type === 'set-timer') known.timers.set(effect.timer, dueMs(i));
      if (effect.type === 'cancel-timer') known.timers.delete(effect.timer);
      if (effect.type === 'report') known.view = effect.view;
    });
    this.#consider(member, atMs);
  }

  onEvent({ atMs, event }: TraceEvent): void {
    this.passTo(atMs);
    if (event.do === 'restart' && (event.amnesia === true || event.disk === 'restored')) {
      this.#broken.add('disk').add('one-disk');
    }
    if (event.do === 'twin') this.#broken.add('disk').add('one-disk');
    if (event.disk === 'restored' || event.disk === 'copied') this.#broken.add('no-copy');
    if (event.do === 'inject') this.#broken.add('no-forgery');
    if (event.do === 'clock') this.#broken.add('clock');
    if (event.do === 'evidence') this.#broken.add('proof');
    if (event.do !== 'crash') return;
    const known = this.#of(event.member as MemberId);
    known.view = null;
    known.timers.clear();
    this.#consider(event.member as MemberId, atMs);
  }

  /** Leases expire by themselves, whether a member reports it or not. */
  passTo(ms: number): void {
    this.#nowMs = ms;
    for (const { member } of this.acting.open) {
      const endMs = this.#leaseEndMs(this.#of(member));
      if (endMs <= ms) this.acting.note(member, false, null, toUs(endMs));
    }
  }

  #consider(member: MemberId, atMs: number): void {
    const known = this.#of(member);
    const claims = known.view?.role === 'leader';
    const acts = claims && this.#leaseEndMs(known) > atMs;
    const term = known.view?.term ?? null;
    const atUs = toUs(atMs);
    if (this.claims.note(member, claims, term, atUs) && claims && term !== null) {
      this.#properties.won(this.#process(member), term, null);
    }
    if (this.acting.note(member, acts, term, atUs) && acts) {
      const all = this.acting.open.map((each) => this.#process(each.member));
      this.#properties.acts(this.#process(member), term, all);
    }
  }

  #leaseEndMs({ view, timers }: Known): number {
    if (view === null) return 0;
    return view.lease === null ? Number.POSITIVE_INFINITY : (timers.get(view.lease) ?? 0);
  }

  #of(member: MemberId): Known {
    let known = this.#known.get(member);
    if (known === undefined) {
      known = { view: null, timers: new Map() };
      this.#known.set(member, known);
    }
    return known;
  }

  /** A trace distinguishes processes, but not their lives. */
  #process(name: MemberId): Process {
    const id = [...this.#known.keys()].find((each) => nameOfTwin(each) === name) ?? name;
    return { name, id, life: '' };
  }

  #find({ property, members, detail }: Finding): void {
    const claimed = isPromised({ pledges: this.#pledges }, property, this.#broken);
    this.violations.push({ property, claimed, atMs: this.#nowMs, members, detail });
  }
}
