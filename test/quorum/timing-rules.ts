/** Rules of one member about times that change while the cluster runs (see rules.ts). */
import type { Definition, SetTimes } from '../../src/core/index.ts';
import type { Register } from '../../src/protocols/quorum/messages.ts';
import { accepted, answer, at, five, heartbeat, leader, NEVER, saved, Voter } from '../support/quorum.ts';

export type TimingRuleName =
  | 'a longer promise is saved before it is given'
  | 'a promise that is only set does not count as saved'
  | 'a voter promises what it is asked for'
  | 'a leader asks for a promise as long as it counts on'
  | 'a late request ends no promise of before a restart'
  | 'times that were set stay'
  | 'a member waits for a leader with longer times'
  | 'the larger drift counts until another is committed'
  | 'times that are set leave the drift as configured'
  | 'a drift that was set stays with other times'
  | 'no promise for years is given'
  | 'no times are believed that cannot be set';

export const timingRules: Readonly<Record<TimingRuleName, (definition: Definition) => boolean>> = {
  'a longer promise is saved before it is given'(definition) {
    const { effects } = at(2, saved(2, 1), { definition }).hears(1, heartbeat(1, 5, { promiseMs: 900 }));
    const save = effects.findIndex((effect) => effect.type === 'save' && promiseIn(effect.record) === 900);
    return save >= 0 && save < effects.findIndex((effect) => effect.type === 'send');
  },
  'a promise that is only set does not count as saved'(definition) {
    const solo = at(2, saved(2, 1), { definition });
    const { promiseMs } = solo.state;
    solo.hears(1, { type: 'publish/send', term: 1, register: retimed(definition, solo) }).timer('promise');
    return solo.state.promiseMs === promiseMs;
  },
  'a voter promises what it is asked for'(definition) {
    const request = { type: 'vote', term: 1, age: NEVER, release: null, promiseMs: 900 };
    return at(2, saved(2, 0), { definition }).hears(1, request).timersSet().promise === 900;
  },
  'a leader asks for a promise as long as it counts on'(definition) {
    const solo = leader(undefined, { definition }).hears(2, answer(1, 2)).hears(3, answer(1, 2));
    solo.command({ type: 'reconfigure', timing: definition.retiming!.change(LAN, null, { timing: 'wan' }) });
    solo.hears(2, accepted(1, 1)).hears(3, accepted(1, 1));
    const leaseMs = leaseAsked(solo);
    const asked = solo
      .sent('heartbeat')
      .map(({ message }) => (message as { readonly promiseMs?: number }).promiseMs ?? 0);
    return asked.length > 0 && asked.every((promiseMs) => promiseMs >= leaseMs);
  },
  'a late request ends no promise of before a restart'(definition) {
    const solo = new Voter(2, five, { saved: saved(2, 1, { promiseMs: 900 }), definition });
    const promised = (round: number): unknown =>
      solo.hears(1, heartbeat(1, round, { promiseMs: 200 })).timersSet().promise;
    const isKept = promised(5) === 900 && promised(6) === 900;
    solo.timer('earlier');
    return isKept && promised(7) === 200;
  },
  'times that were set stay'(definition) {
    const solo = leader(undefined, { definition }).hears(2, answer(1, 2)).hears(3, answer(1, 2));
    solo.command({ type: 'reconfigure', timing: definition.retiming!.change(LAN, null, { timing: 'wan' }) });
    solo.hears(2, accepted(1, 1)).hears(3, accepted(1, 1)).command({ type: 'publish', value: 'x' });
    return (solo.state.register as Register).timing?.preset === 'wan';
  },
  'a member waits for a leader with longer times'(definition) {
    const solo = at(2, saved(2, 1), { definition }).hears(1, heartbeat(1, 5, { promiseMs: 900 }));
    return (solo.timersSet().election as readonly number[])[0]! >= 900;
  },
  'the larger drift counts until another is committed'(definition) {
    const solo = leader(undefined, { definition }).hears(2, answer(1, 2)).hears(3, answer(1, 2));
    const set = (maxDrift: number | null): void => {
      const before = (solo.state.register as Register).timing as unknown as SetTimes | undefined;
      const timing = definition.retiming!.change(LAN, before ?? null, { options: { maxDrift } });
      solo.command({ type: 'reconfigure', timing });
    };
    const commit = (version: number): Voter =>
      solo.hears(2, accepted(1, version)).hears(3, accepted(1, version));
    set(0.25);
    const grown = leaseAsked(solo);
    commit(1);
    const settled = leaseAsked(solo);
    set(null);
    const shrinking = leaseAsked(solo);
    commit(2);
    const back = leaseAsked(solo);
    return [grown, settled, shrinking].every((ms) => ms === 75) && back > 120;
  },
  'times that are set leave the drift as configured'(definition) {
    const options = { maxDrift: 0.25 };
    const solo = leader(undefined, { definition, options }).hears(2, answer(1, 2)).hears(3, answer(1, 2));
    const config = { ...LAN, options: { ...LAN.options, ...options } };
    const timing = definition.retiming!.change(config, null, { timing: 'steady' });
    solo.command({ type: 'reconfigure', timing });
    solo.hears(2, accepted(1, 1)).hears(3, accepted(1, 1));
    return leaseAsked(solo) === 900;
  },
  'a drift that was set stays with other times'({ retiming }) {
    const set = retiming!.change(LAN, null, { options: { maxDrift: 0.25 } });
    const asked = [
      { timing: 'wan' },
      { timing: { timeoutMs: [400, 800] } },
      { options: { preferAfter: 30 } },
    ];
    return asked.every((each) => retiming!.change(LAN, set, each).maxDrift === 0.25);
  },
  'no promise for years is given'(definition) {
    const solo = at(2, saved(2, 1), { definition }).hears(1, heartbeat(1, 5, { promiseMs: 900_000_000 }));
    return solo.sent().length === 0 && solo.state.leader === null;
  },
  'no times are believed that cannot be set'(definition) {
    const solo = at(2, saved(2, 1), { definition });
    const register = { ...retimed(definition, solo), timing: { ...TIMES, leaseMs: 9000 } };
    solo.hears(1, { type: 'publish/send', term: 1, register });
    return (solo.state.register as Register).timing === undefined;
  },
};

const TIMES = {
  preset: 'lan',
  heartbeatMs: null,
  timeoutMs: null,
  leaseMs: null,
  commitTimeoutMs: null,
  publishTimeoutMs: null,
} as const;
const { preset, ...none } = TIMES;
const LAN = { timing: none, options: { preset, maxDrift: 0.01, preferAfter: 20 } };

/** For how long the next round of a leader may carry a lease. */
function leaseAsked(solo: Voter): number {
  const timers = solo.timer('heartbeat').timersSet();
  return timers[Object.keys(timers).find((name) => name.startsWith('lease/'))!] as number;
}

function promiseIn(record: unknown): number {
  return (record as { readonly promiseMs: number }).promiseMs;
}

/** The next register of the first term, with longer times. */
function retimed(definition: Definition, solo: Voter): Register {
  const timing = definition.retiming!.change(LAN, null, {
    timing: 'steady',
  }) as unknown as Register['timing'];
  return { ...(solo.state.register as Register), term: 1, version: 1, timing };
}
