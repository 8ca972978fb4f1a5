/** Rules of one member about times that change while the cluster runs (see rules.ts). */
import type { Definition } from '../../src/core/index.ts';
import type { Register } from '../../src/protocols/quorum/messages.ts';
import { accepted, answer, at, heartbeat, leader, NEVER, saved, type Voter } from '../support/quorum.ts';

export type TimingRuleName =
  | 'a longer promise is saved before it is given'
  | 'a promise that is only set does not count as saved'
  | 'a voter promises what it is asked for'
  | 'times that were set stay'
  | 'a member waits for a leader with longer times'
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
  'times that were set stay'(definition) {
    const solo = leader(undefined, { definition }).hears(2, answer(1, 2)).hears(3, answer(1, 2));
    solo.command({ type: 'reconfigure', timing: definition.retiming!.change(LAN, null, 'wan') });
    solo.hears(2, accepted(1, 1)).hears(3, accepted(1, 1)).command({ type: 'publish', value: 'x' });
    return (solo.state.register as Register).timing?.preset === 'wan';
  },
  'a member waits for a leader with longer times'(definition) {
    const solo = at(2, saved(2, 1), { definition }).hears(1, heartbeat(1, 5, { promiseMs: 900 }));
    return (solo.timersSet().election as readonly number[])[0]! >= 900;
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

function promiseIn(record: unknown): number {
  return (record as { readonly promiseMs: number }).promiseMs;
}

/** The next register of the first term, with longer times. */
function retimed(definition: Definition, solo: Voter): Register {
  const timing = definition.retiming!.change(LAN, null, 'steady') as unknown as Register['timing'];
  return { ...(solo.state.register as Register), term: 1, version: 1, timing };
}
