/** What the way of a message decides: by POST, this member cannot see which process is the sender. */
import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/core/index.ts';
import type { Saved } from '../../src/protocols/quorum/state.ts';
import { VirtualCluster } from './virtual.ts';

const THREE = ['a', 'b', 'c'];

describe('a register with other members', () => {
  /** A member that is bound to no leader, and a register for it from which one member is gone. */
  function unbound(): { cluster: VirtualCluster; id: string; copy: Message } {
    const cluster = new VirtualCluster(THREE);
    const leader = cluster.elect();
    cluster.cut(leader);
    const [id, other] = THREE.filter((each) => each !== leader) as [string, string];
    cluster.at(other).host.stop();
    cluster.clock.advance(10_000);
    const { register } = cluster.at(id).saved as unknown as Saved;
    const by = { disk: 'a stranger', start: 1, life: 'a stranger' };
    const members = register.members.filter((seat) => seat.id !== other);
    const next = { ...register, version: register.version + 1, members };
    return { cluster, id, copy: { type: 'publish/copy', by, register: next } as Message };
  }

  const idsAt = (cluster: VirtualCluster, id: string): unknown[] =>
    (cluster.at(id).saved as unknown as Saved).register.members.map((seat) => seat.id);

  it('is taken over a connection', () => {
    const { cluster, id, copy } = unbound();
    cluster.at(id).host.receive('b', copy, 'link');
    expect(idsAt(cluster, id)).toHaveLength(2);
  });

  it('is not taken by POST, and not saved', () => {
    const { cluster, id, copy } = unbound();
    const before = cluster.at(id).saved;
    expect(() => cluster.at(id).host.receive('b', copy, 'post')).toThrow(/only over a connection/);
    expect(cluster.at(id).saved).toBe(before);
    expect(idsAt(cluster, id)).toEqual(THREE);
  });
});
