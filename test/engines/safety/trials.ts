import { once } from 'node:events';
import { Crew, type Participant } from './crew.ts';
import type { Site } from './site.ts';

/** What can go wrong, and how to bring it about. Returns when it is over. */
export interface Fault {
  readonly name: string;
  /** Whether the leadership must be another afterwards, or may have stayed. */
  readonly deposes: boolean;
  /**
   * What no engine promises to survive: the next one may begin before the old one has heard of it. It has to hear of it within
   * its lease.
   */
  readonly isBeyondPromises?: boolean;
  /** Why it cannot be tried on this store, or null. */
  readonly excuse?: (site: Site) => string | null;
  inflict(crew: Crew, leader: Participant, site: Site, leaseMs: number): Promise<void>;
}

const pass = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const noServer = ({ ports }: Site): string | null => (ports === null ? 'there is no server' : null);

export const faults: readonly Fault[] = [
  {
    name: 'kill -9 of the leader',
    deposes: true,
    async inflict(_crew, { child }) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  },
  {
    name: 'the leader is stopped past its lease, and goes on',
    excuse: ({ ports }) => (ports === null ? 'it lives, and so keeps what it holds' : null),
    deposes: true,
    async inflict(crew, leader) {
      const { token, child } = leader;
      const next = crew.leads(token!, (each) => each !== leader);
      child.kill('SIGSTOP');
      await next;
      child.kill('SIGCONT');
    },
  },
  {
    name: 'the connection of the leader carries nothing, then works again',
    excuse: noServer,
    deposes: true,
    async inflict(crew, leader) {
      const next = crew.leads(leader.token!, (each) => each !== leader);
      for (const proxy of leader.proxies) proxy.freeze();
      await next;
      for (const proxy of leader.proxies) proxy.restore();
    },
  },
  {
    name: 'the connection of the leader is reset and refused, then works again',
    excuse: noServer,
    deposes: true,
    async inflict(crew, leader) {
      const next = crew.leads(leader.token!, (each) => each !== leader);
      for (const proxy of leader.proxies) proxy.refuse();
      await next;
      for (const proxy of leader.proxies) proxy.restore();
    },
  },
  {
    name: 'the server is restarted with its data',
    excuse: noServer,
    deposes: false,
    async inflict(_crew, _leader, site) {
      await site.stop!();
      await site.restart!();
    },
  },
  {
    name: 'the server is down for longer than the lease',
    excuse: noServer,
    deposes: true,
    async inflict(_crew, _leader, site, leaseMs) {
      await site.stop!();
      await pass(1.5 * leaseMs);
      await site.restart!();
    },
  },
  {
    name: 'the server is stopped (SIGSTOP) past the lease, and goes on',
    excuse: noServer,
    deposes: true,
    async inflict(_crew, _leader, site, leaseMs) {
      site.pause!();
      await pass(1.5 * leaseMs);
      site.resume!();
    },
  },
  {
    name: 'what is held is deleted behind the leader’s back',
    excuse: ({ cannotDelete }) => cannotDelete ?? null,
    deposes: true,
    isBeyondPromises: true,
    async inflict(crew, _leader, site) {
      await site.deleteElection(crew.election);
    },
  },
  {
    name: 'the wall clock of the leader jumps by an hour',
    deposes: false,
    async inflict(_crew, { child }) {
      child.stdin!.write('shift\n');
    },
  },
];

/** What came of one fault. */
export interface Trial {
  /** What must not be, in words: two valid at one moment, or a token given twice. */
  readonly faults: readonly string[];
  /** For how long two were valid, beyond what is promised. */
  readonly doubleMs: number;
  /** How long nobody was valid. */
  readonly darkMs: number;
  readonly losses: readonly string[];
}

/**
 * Lets three processes stand, does them harm, and waits until one leads again, and then until everybody who is left has led: so
 * that nobody has dropped out unnoticed.
 */
export async function tryFault(fault: Fault, site: Site, options: { leaseMs?: number }): Promise<Trial> {
  const crew = await Crew.start(3, site, site.ports === null ? {} : options);
  try {
    const first = await crew.leads(0n);
    const leader = crew.leader!;
    const afterMs = performance.now();
    const [token] = await Promise.all([
      crew.leads(fault.deposes ? first : first - 1n, (each) => !fault.deposes || each.token! > first),
      fault.inflict(crew, leader, site, options.leaseMs ?? 1000),
    ]);
    const darkMs = performance.now() - afterMs;
    await everybodyLeads(crew, token);
    const { losses } = crew;
    const overlaps = crew.watch.overlaps();
    const doubleMs = Math.max(0, ...overlaps.map(({ ms }) => ms));
    const isExcused = fault.isBeyondPromises === true && doubleMs < (options.leaseMs ?? 1000);
    const faults = [...crew.watch.faults, ...(isExcused ? [] : overlaps.map(({ words }) => words))];
    return { faults, doubleMs, darkMs, losses };
  } finally {
    await crew.close();
  }
}

/** Whoever was cut off comes back with a back-off, while the others pass the lead to and fro. */
const PATIENCE_MS = 30_000;

async function everybodyLeads(crew: Crew, after: bigint): Promise<void> {
  const left = new Set(
    crew.participants.filter(({ child }) => child.exitCode === null && child.signalCode === null),
  );
  let token = after;
  const untilMs = performance.now() + PATIENCE_MS;
  while (left.size > 0) {
    if (performance.now() > untilMs)
      throw new Error(`no longer takes part: ${[...left].map(({ name }) => name).join(', ')}`);
    token = await crew.leads(token - 1n);
    const leader = crew.leader!;
    left.delete(leader);
    if (left.size === 0) return;
    const next = crew.leads(token);
    leader.child.stdin!.write('resign\n');
    token = await next;
  }
}
