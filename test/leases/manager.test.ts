import { describe, expect, it } from 'vitest';
import { OWN_TOKEN } from '../../src/core/index.ts';
import {
  type Decision,
  EMPTY_REGISTER,
  LeaseManager,
  leaseRegister,
  type Refused,
  type Taken,
  type Taking,
} from '../../src/leases/index.ts';
import { type Manage, runLeases } from './world.ts';

const taking = (session: string, more: Partial<Taking> = {}): Taking => ({
  election: 'x',
  session,
  attempt: 1,
  name: `name-of-${session}`,
  leaseMs: 1000,
  ...more,
});

function decided<T>(decision: Decision<T> | Refused): Decision<T> {
  if ('refused' in decision) throw new Error(decision.refused);
  return decision;
}

/** Publishes all that was decided. */
function commit(manager: LeaseManager): ReturnType<LeaseManager['commit']> {
  const draft = manager.draft();
  return draft === null ? [] : manager.commit(draft.number);
}

/** Takes, and publishes. */
function take(manager: LeaseManager, asked: Taking, nowMs: number): string {
  const { token } = decided(manager.take(asked, nowMs)).answer;
  commit(manager);
  if (token === null) throw new Error('it was not granted');
  return token;
}

describe('the lease manager', () => {
  it('grants to one of two that ask together, and shows it only when it is committed', () => {
    const manager = new LeaseManager(EMPTY_REGISTER, 7n, 0);
    const first = decided(manager.take(taking('a'), 0));
    const second = decided(manager.take(taking('b'), 0));
    expect(first.after).toBe(1);
    expect(first.answer.token).toBe(String((7n << 22n) + 1n));
    expect(second).toEqual({ after: 0, answer: { token: null, reading: manager.read('x', 0) } });
    expect(manager.read('x', 0).leader).toBeNull();
    expect(commit(manager).map(({ election }) => election)).toEqual(['x']);
    expect(manager.read('x', 400)).toMatchObject({ leader: 'name-of-a', freeInMs: 600 });
  });

  it('publishes a first value with the lease, with its token, unless another was published since', () => {
    const manager = new LeaseManager(EMPTY_REGISTER, 7n, 0);
    const value = { begun: [OWN_TOKEN], note: 'token' };
    const a = decided(manager.take(taking('a', { first: { after: 0, value } }), 0));
    const { token } = a.answer;
    const published = { value: { begun: [token], note: 'token' }, version: 1 };
    expect(a.answer.reading).toMatchObject(published);
    expect(manager.read('x', 0)).toMatchObject({ leader: null, value: null, version: 0 });
    commit(manager);
    expect(manager.read('x', 0)).toMatchObject({ leader: 'name-of-a', ...published });
    manager.release({ election: 'x', session: 'a', token: token! }, 1);
    const b = decided(manager.take(taking('b', { first: { after: 0, value: 'late' } }), 2));
    expect(b.answer.token).not.toBeNull();
    expect(b.answer.reading).toMatchObject(published);
  });

  it('leaves out a first value that is too large, and grants all the same', () => {
    const manager = new LeaseManager(EMPTY_REGISTER, 7n, 0);
    const first = { after: 0, value: 'x'.repeat(20_000) };
    const { answer } = decided(manager.take(taking('a', { first }), 0));
    expect(answer).toMatchObject({ reading: { leader: 'name-of-a', value: null, version: 0 } });
  });

  it('lets takes that arrive during a publication share the next one', () => {
    const manager = new LeaseManager(EMPTY_REGISTER, 7n, 0);
    decided(manager.take(taking('a'), 0));
    const { number } = manager.draft()!;
    const others = ['y', 'z'].map((election) => decided(manager.take(taking('b', { election }), 0)).after);
    manager.commit(number);
    expect(others.every((after) => after > number)).toBe(true);
    const next = manager.draft()!;
    expect(next.register.elections.map(({ name }) => name)).toEqual(['x', 'y', 'z']);
    expect(others.every((after) => after <= next.number)).toBe(true);
    manager.commit(next.number);
    expect(manager.draft()).toBeNull();
  });

  it('ends a lease when its time is up, and not before; renewals are not published', () => {
    const manager = new LeaseManager(EMPTY_REGISTER, 7n, 0);
    const token = take(manager, taking('a'), 0);
    expect(manager.renew({ election: 'x', session: 'a', token }, 900).answer.held).toBe(true);
    expect(manager.draft()).toBeNull();
    expect(manager.expire(1899)).toBe(false);
    expect(manager.dueMs).toBe(1900);
    expect(manager.expire(1900)).toBe(true);
    expect(manager.renew({ election: 'x', session: 'a', token }, 1900).answer.held).toBe(false);
    commit(manager);
    expect(manager.count).toBe(0);
  });

  it('lets every lease of the register run for its whole length again, and its holder renew it', () => {
    const before = new LeaseManager(EMPTY_REGISTER, 7n, 0);
    const token = take(before, taking('a'), 0);
    const register = leaseRegister.read({ leases: 1, versions: 0, elections: elections(before) }, '');
    const manager = new LeaseManager(register, 9n, 50_000);
    expect(decided(manager.take(taking('b'), 50_999)).answer.token).toBeNull();
    expect(manager.renew({ election: 'x', session: 'a', token }, 50_999).answer.held).toBe(true);
    expect(decided(manager.take(taking('b', { attempt: 2 }), 51_998)).answer.token).toBeNull();
    expect(decided(manager.take(taking('b', { attempt: 3 }), 51_999)).answer.token).toBe(
      String((9n << 22n) + 1n),
    );
  });

  it('gives the same session a new token, and refuses a request that a newer one has overtaken', () => {
    const manager = new LeaseManager(EMPTY_REGISTER, 7n, 0);
    const first = take(manager, taking('a', { attempt: 2 }), 0);
    const second = take(manager, taking('a', { attempt: 3 }), 10);
    expect(BigInt(second)).toBeGreaterThan(BigInt(first));
    expect(decided(manager.take(taking('a', { attempt: 1 }), 20)).answer.token).toBeNull();
    manager.release({ election: 'x', session: 'a', token: second }, 30);
    commit(manager);
    expect(decided(manager.take(taking('a', { attempt: 3 }), 40)).answer.token).toBeNull();
  });

  it('heeds only the holder of exactly this grant', () => {
    const manager = new LeaseManager(EMPTY_REGISTER, 7n, 0);
    const token = take(manager, taking('a'), 0);
    const other = String(BigInt(token) + 1n);
    for (const grant of [
      { election: 'x', session: 'b', token },
      { election: 'x', session: 'a', token: other },
      { election: 'y', session: 'a', token },
    ]) {
      expect(manager.renew(grant, 1).answer.held).toBe(false);
      expect(decided(manager.publish({ ...grant, value: 1 }, 1)).answer.version).toBeNull();
      manager.release(grant, 1);
    }
    manager.ask({ election: 'x', token: other, reason: 'too late' }, 1);
    expect(manager.draft()).toBeNull();
    expect(manager.renew({ election: 'x', session: 'a', token }, 1).answer).toEqual({
      held: true,
      asked: null,
    });
  });

  it('keeps a value when its leader is gone, with versions that grow also after it was forgotten', () => {
    const manager = new LeaseManager(EMPTY_REGISTER, 7n, 0);
    const publish = (session: string, token: string, value: string | null): number | null =>
      decided(manager.publish({ election: 'x', session, token, value }, 1)).answer.version;
    const first = take(manager, taking('a'), 0);
    expect(publish('a', first, 'one')).toBe(1);
    manager.release({ election: 'x', session: 'a', token: first }, 2);
    commit(manager);
    expect(manager.read('x', 3)).toMatchObject({ leader: null, value: 'one', version: 1 });
    const second = take(manager, taking('b'), 3);
    expect(publish('b', second, null)).toBe(2);
    manager.release({ election: 'x', session: 'b', token: second }, 4);
    commit(manager);
    expect(manager.count).toBe(0);
    const third = take(manager, taking('c'), 5);
    expect(publish('c', third, 'three')).toBe(3);
  });

  it('refuses what does not fit into the register, and never outgrows it', () => {
    const manager = new LeaseManager(EMPTY_REGISTER, 7n, 0);
    const refused: string[] = [];
    let held = 0;
    for (let i = 0; refused.length === 0; i++) {
      const decision = manager.take(taking('a', { election: `election-${i}` }), 0);
      if ('refused' in decision) refused.push(decision.refused);
      else held += 1;
      expect(JSON.stringify(manager.draft()!.register).length).toBeLessThanOrEqual(64 * 1024);
    }
    expect(refused).toEqual(['full']);
    expect(held).toBeGreaterThan(300);
    const token = String((7n << 22n) + 1n);
    const grant = { election: 'election-0', session: 'a', token };
    expect(manager.publish({ ...grant, value: 'x'.repeat(2000) }, 1)).toEqual({ refused: 'full' });
    expect(manager.publish({ ...grant, value: 'x'.repeat(20_000) }, 1)).toEqual({
      refused: 'value-too-large',
    });
    manager.release(grant, 1);
    expect(decided(manager.take(taking('b', { election: 'election-0' }), 2)).after).toBeGreaterThan(0);
  });

  it('passes a request to resign on to the next manager', () => {
    const before = new LeaseManager(EMPTY_REGISTER, 7n, 0);
    const token = take(before, taking('a'), 0);
    before.ask({ election: 'x', token, reason: 'drained' }, 1);
    const register = before.draft()!.register;
    const manager = new LeaseManager(register, 8n, 100);
    expect(manager.renew({ election: 'x', session: 'a', token }, 101).answer.asked).toBe('drained');
  });
});

function elections(manager: LeaseManager): unknown {
  manager.ask({ election: 'x', token: manager.read('x', 1).token!, reason: '' }, 1);
  return JSON.parse(JSON.stringify(manager.draft()!.register.elections));
}

describe('the lease manager under faults', () => {
  it('never lets two act, and never grants a token twice or a smaller one', () => {
    const sum = { grants: 0, renewals: 0, managers: 0, survivals: 0 };
    for (let seed = 1; seed <= 60; seed++) {
      const { faults, ...counts } = runLeases(seed);
      expect(faults, `seed ${seed}`).toEqual([]);
      for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += counts[key];
    }
    // Something happened: tokens of many managers, and leaderships that outlived theirs.
    expect(sum.grants).toBeGreaterThan(800);
    expect(sum.renewals).toBeGreaterThan(3000);
    expect(sum.managers).toBeGreaterThan(400);
    expect(sum.survivals).toBeGreaterThan(50);
  });

  /** Each breaks one rule. */
  const MUTANTS: Readonly<Record<string, Manage>> = {
    'a new manager does not wait for the leases of the register': class extends LeaseManager {
      constructor(...[register, term]: ConstructorParameters<Manage>) {
        super(register, term, -1e9);
      }
    },
    'a take is answered before it is committed': class extends LeaseManager {
      override take(asked: Taking, nowMs: number): Decision<Taken> | Refused {
        const decision = super.take(asked, nowMs);
        return 'refused' in decision ? decision : { ...decision, after: 0 };
      }
    },
    'tokens are counted without the term': class extends LeaseManager {
      constructor(...[register, , nowMs]: ConstructorParameters<Manage>) {
        super(register, 1n, nowMs);
      }
    },
    'a manager begins with an empty register': class extends LeaseManager {
      constructor(...[, term, nowMs]: ConstructorParameters<Manage>) {
        super(EMPTY_REGISTER, term, nowMs);
      }
    },
    'the lease is a tenth shorter than promised': class extends LeaseManager {
      override take(asked: Taking, nowMs: number): Decision<Taken> | Refused {
        return super.take({ ...asked, leaseMs: asked.leaseMs * 0.9 }, nowMs);
      }
    },
  };

  it.each(Object.keys(MUTANTS))('notices if %s', (name) => {
    const seeds = Array.from({ length: 60 }, (_, i) => i + 1);
    expect(seeds.some((seed) => runLeases(seed, 1500, MUTANTS[name]!).faults.length > 0)).toBe(true);
  });
});
