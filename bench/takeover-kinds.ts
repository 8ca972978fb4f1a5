/** The kinds of candidates whose takeovers are measured beside each other. */
import { ensureDebian } from '../test/support/debian.ts';
import { BareMembers } from './bare-members.ts';
import { etcdBed, postgresBed, redisBed } from './engines.ts';
import { EtcdRaft } from './etcd-raft.ts';
import type { Rivals } from './rivals.ts';
import { StoreCandidates } from './store-candidates.ts';
import { type Auth, Cluster } from './takeover-cluster.ts';

export interface Kind {
  readonly name: string;
  /** How long a leader that is silent may still lead; null: for ever. */
  readonly leaseMs: number | null;
  readonly hasDeputies?: boolean;
  /** Not by V8 while it runs, so it needs no warming up. */
  readonly isCompiled?: boolean;
  /** Nothing takes over: it is only measured at rest. */
  readonly isFloor?: boolean;
  /** Why it cannot be measured here, or null. */
  missing(): string | null;
  open(): Promise<Rivals>;
}

/** Of the preset `lan`. */
const LAN_LEASE_MS = 125;
/** Its usual settings try every 100 to 300 ms, so a shorter lease would say little. */
const REDLOCK_LEASE_MS = 1000;
/** The shortest that etcd holds with its usual times. */
const ETCD_LEASE_MS = 2000;

export function caucus(members: number, auth: Auth, deputies = false): Kind {
  const by = `${deputies ? ', deputies' : ''}${auth === 'none' ? '' : `, ${auth}`}`;
  return {
    name: members === 3 ? `caucus${by}` : `caucus, ${members} members${by}`,
    leaseMs: LAN_LEASE_MS,
    hasDeputies: deputies,
    missing: () => null,
    open: () => Cluster.open({ members, auth, deputies }),
  };
}

export const bareMembers: Kind = {
  name: 'floor: the same messages with `ws`',
  leaseMs: null,
  isFloor: true,
  missing: () => null,
  open: () => BareMembers.open(),
};

export const advisoryLocks: Kind = {
  name: '`pg`, advisory lock',
  leaseMs: null,
  missing: () => ensureDebian(['postgresql']),
  open: () => StoreCandidates.open(postgresBed, { client: 'pg', leaseMs: 0 }),
};

export const redlocks: Kind = {
  name: '`redlock`, a lease of 1 s',
  leaseMs: REDLOCK_LEASE_MS,
  missing: () => ensureDebian(['redis-server', 'redis-tools']),
  open: () => StoreCandidates.open(redisBed, { client: 'redlock', leaseMs: REDLOCK_LEASE_MS }),
};

export const etcd3s: Kind = {
  name: '`etcd3`, a lease of 2 s',
  leaseMs: ETCD_LEASE_MS,
  missing: () => ensureDebian(['etcd-server', 'etcd-client']),
  open: () => StoreCandidates.open(etcdBed, { client: 'etcd3', leaseMs: ETCD_LEASE_MS }),
};

export function etcdRaft(heartbeatMs: number, electionMs: number): Kind {
  return {
    name: `etcd's own Raft, ${heartbeatMs}/${electionMs} ms`,
    leaseMs: electionMs,
    isCompiled: true,
    missing: () => ensureDebian(['etcd-server']),
    open: () => EtcdRaft.open({ heartbeatMs, electionMs }),
  };
}

/** Its only dependency that keeps anything is compiled when it is installed. */
export const liferaft: Kind = {
  name: '`liferaft` 1.0.0',
  leaseMs: null,
  missing: () => 'its dependency leveldown 3 does not compile with Node.js 20',
  open: () => Promise.reject(new Error('not installed')),
};
