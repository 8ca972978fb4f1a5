/** Members of different recoveries exchange no message, and one without a seat joins the first recovery that it meets. */
import { describe, expect, it } from 'vitest';
import type { ClusterRecovery } from '../../src/core/index.ts';
import { DEFAULT_PEER_OPTIONS, type Identity, Peers } from '../../src/peers/index.ts';
import { Bench, processOf } from './bench.ts';

function recovery(id: string, ...earlier: readonly string[]): ClusterRecovery {
  return { id, member: 1, at: '2026-01-01T00:00:00.000Z', term: 1_000_000_007, earlier };
}

const FIRST = { recovery: recovery('first') };
const AGAIN = { recovery: recovery('again', 'first') };
const OTHER = { recovery: recovery('other') };
const BLANK = { isBlank: true };

type Side = Partial<Identity>;

function own(side: Side): Identity {
  return processOf(1, 'own', side);
}

describe('a greeting between members of different recoveries', () => {
  it.each<[string, Side, Side, string]>([
    ['a member from before it comes back', FIRST, {}, 'before-recovery'],
    ['a member of an earlier recovery comes back', AGAIN, FIRST, 'before-recovery'],
    ['this member is from before it', {}, FIRST, 'other-recovery'],
    ['this member is from an earlier recovery', FIRST, AGAIN, 'other-recovery'],
    ['two were recovered from one cluster', FIRST, OTHER, 'other-recovery'],
    ['a member without a seat belongs to another one', { ...BLANK, ...OTHER }, FIRST, 'other-recovery'],
  ])('is refused: %s', (_, here, there, kind) => {
    const decisions = new Bench(Peers, {}, own(here)).greet(10, processOf(2, 'two', there));
    expect(decisions).toEqual([`refuse 10: ${kind}`, `tell ${kind}`]);
  });

  it('names both members, the recovery and what to do, in less than a refusal may have', () => {
    const told = [
      [FIRST, { features: [] }],
      [FIRST, {}],
      [{}, FIRST],
      [FIRST, OTHER],
    ].map(([here, there]) => {
      const peers = new Peers(own(here!), DEFAULT_PEER_OPTIONS);
      peers.take({ type: 'peer-added', peer: 2 }, 0);
      peers.take({ type: 'accepted', connection: 10 }, 0);
      const identity = processOf(2, 'two', there);
      const decisions = peers.take({ type: 'greeted', connection: 10, identity }, 0);
      return decisions.flatMap((each) => (each.type === 'tell' ? [each.refused.reason] : []))[0]!;
    });
    expect(told).toEqual([
      'member 2 at http://host:2 belongs to the cluster as it was before member 1 was recovered at 2026-01-01T00:00:00.000Z; stop it, empty its data folder, start it again and add it',
      'member 2 at http://host:2 belongs to the cluster as it was before member 1 was recovered at 2026-01-01T00:00:00.000Z; stop it, empty its data folder, start it again and add it (its release is an earlier one: update it first)',
      'member 2 at http://host:2 belongs to the cluster after member 1 was recovered at 2026-01-01T00:00:00.000Z, and member 1 at http://host:1 to the one before; stop 1, empty its data folder, start it again and add it',
      'there are two clusters: member 2 at http://host:2 belongs to the one after member 1 was recovered at 2026-01-01T00:00:00.000Z, member 1 at http://host:1 to the one after member 1 was recovered at 2026-01-01T00:00:00.000Z; keep one, and empty the data folders of the other',
    ]);
    expect(Math.max(...told.map(({ length }) => length))).toBeLessThan(400);
  });
});

describe('a greeting is accepted', () => {
  it.each<[string, Side, Side]>([
    ['of the same recovery', FIRST, FIRST],
    ['of a member without a seat, by a recovered one', FIRST, BLANK],
    ['of members that were never recovered', {}, {}],
    ['of a member without a seat, in a cluster that was never recovered', {}, BLANK],
  ])('%s', (_, here, there) => {
    const decisions = new Bench(Peers, {}, own(here)).greet(10, processOf(2, 'two', there));
    expect(decisions).toContain('accept 10');
    expect(decisions).not.toContain('adopt');
  });
});

describe('a member without a seat that meets a recovered one', () => {
  /** Takes the recovery over as its host does. */
  function blank(): { bench: Bench; meet: (id: number, connection: number, side: Side) => string[] } {
    const self = own({ ...BLANK, recovery: undefined }) as { -readonly [K in keyof Identity]: Identity[K] };
    const bench = new Bench(Peers, {}, self);
    for (const peer of [3, 4]) bench.take({ type: 'peer-added', peer });
    const meet = (id: number, connection: number, side: Side): string[] => {
      const decisions = bench.greet(connection, processOf(id, `life-${id}`, side));
      if (decisions.includes('adopt')) self.recovery = side.recovery;
      return decisions;
    };
    return { bench, meet };
  }

  it('belongs to it before it says or hears anything', () => {
    const { meet } = blank();
    expect(meet(2, 10, FIRST).slice(0, 3)).toEqual(['adopt', 'accept 10', 'greet 10']);
    expect(meet(3, 11, OTHER)).toContain('refuse 11: other-recovery');
    expect(meet(3, 12, {})).toContain('refuse 12: before-recovery');
  });

  it('ends all other connections, so that no term goes through it to a member from before', () => {
    const { bench, meet } = blank();
    meet(3, 11, BLANK);
    meet(4, 12, {});
    bench.take({ type: 'timer', timer: 'dial 2' }, { type: 'dialled', peer: 2, connection: 13 });
    const decisions = meet(2, 10, FIRST);
    expect(decisions).toEqual(expect.arrayContaining(['adopt', 'close 11', 'close 12', 'terminate 13']));
    expect(decisions.indexOf('accept 10')).toBeGreaterThan(decisions.indexOf('close 12'));
    expect(meet(4, 14, {})).toContain('refuse 14: before-recovery');
    expect(meet(3, 15, BLANK)).toContain('accept 15');
  });

  it('keeps the recovery that it has', () => {
    const { meet } = blank();
    meet(2, 10, FIRST);
    expect(meet(3, 11, FIRST)).not.toContain('adopt');
  });
});
