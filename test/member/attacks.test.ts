/**
 * What a process that knows no secret can do to a cluster, by POST and over connections, each done twice: without a secret it
 * works, and with one it is refused, and leader, term and the bytes of all disks stay as they were.
 *
 * One of four members is down, so its name is free: a member that is connected is not impersonated even without a secret.
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Change } from '../../src/api/index.ts';
import { ownProcess } from '../../src/member/evidence.ts';
import { type AnyJoinOptions, join, type Member } from '../../src/member/index.ts';
import { encodeHello, encodeLocalConfirmed } from '../../src/member/links/frames.ts';
import { LocalSocket } from '../../src/member/links/local-socket.ts';
import type { Saved } from '../../src/protocols/quorum/state.ts';
import { pureCoding } from '../../src/store/coding.ts';
import { recover } from '../../src/store/recovery.ts';
import { freePorts } from '../support/free-ports.ts';
import { until } from '../support/linked.ts';

const SECRET = 'the-secret-of-the-attacked-cluster';
const IDS = ['a', 'b', 'c', 'd'] as const;
const BY = { disk: 'a stranger', start: 1, life: 'a stranger' };

/** Connections of attackers. */
const running: (() => unknown)[] = [];
const endAttacks = async (): Promise<void> => {
  for (const stop of running.splice(0).reverse()) await stop();
};

class Attacked {
  readonly members: Member[] = [];
  readonly logged: string[] = [];
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'caucus-attacked-'));

  static async open(options: AnyJoinOptions): Promise<Attacked> {
    const cluster = new Attacked();
    const ports = await freePorts(IDS.length);
    const peers = IDS.map((id, i) => ({ id, url: `http://127.0.0.1:${ports[i]}` }));
    for (const id of IDS) {
      const data = path.join(cluster.#folder, id);
      const log = ({ message }: { message: string }): void => void cluster.logged.push(message);
      // Nothing but an attack moves the leader, however busy the machine is.
      const timing = { timeoutMs: [3000, 4000] };
      const member = await join({ id, peers, data, timing, log, ...options });
      cluster.members.push(member);
      if (id !== 'd') member.seat().stand();
    }
    await until('a leader that all follow', () => cluster.isLed(IDS.length));
    await cluster.members.pop()!.close();
    await until('it is gone', () =>
      cluster.members.every(({ links }) => links.find(({ id }) => id === 'd')!.via === 'none'),
    );
    return cluster;
  }

  /** All but one member stop, and that one knows no leader. */
  async leaveOne(): Promise<void> {
    await Promise.all(this.members.splice(1).map((member) => member.close()));
    await until('no leader', () => {
      const election = this.members[0]!.electionPort('main');
      return !election.acting && election.view.leader === null;
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.members.map((member) => member.close()));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  isLed(count: number): boolean {
    const leaders = this.members.map((member) => member.electionPort('main').view.leader);
    const acting = this.members.filter((member) => member.electionPort('main').acting);
    return acting.length === 1 && leaders.length === count && leaders.every((each) => each === acting[0]!.id);
  }

  get leader(): Member {
    return this.members.find((member) => member.electionPort('main').acting)!;
  }

  get follower(): Member {
    return this.members.find((member) => !member.electionPort('main').acting)!;
  }

  /** What must not change. */
  get state(): object {
    return this.members.map((member) => ({
      // The name of its lease changes with each renewal.
      view: { ...member.electionPort('main').view, lease: null },
      acting: member.electionPort('main').acting,
      token: String(member.electionPort('main').token),
      changes: member.electionPort('main').history.length,
      record: this.recordOf(member.id as string),
      voters: member.voters,
      ups: member.links.map(({ id, via }) => `${id} ${via}`),
    }));
  }

  /** The identity of the disk of the member that is down: the others have it in their records. */
  get diskOfD(): string {
    return this.savedOf('d').disk!;
  }

  savedOf(id: string): Saved {
    const bytes = readFileSync(path.join(this.#folder, id, 'election-main.json'));
    const found = recover(bytes, { cluster: 'caucus', id, election: 'main', protocol: 'quorum' }, pureCoding);
    if (found.is !== 'record') throw new Error(`${id} has no record`);
    return found.record as unknown as Saved;
  }

  recordOf(id: string): string {
    return readFileSync(path.join(this.#folder, id, 'election-main.json'), 'latin1');
  }

  termOf(member: Member): number {
    return member.electionPort('main').view.term ?? 0;
  }
}

async function post(to: Member, type: string, body: object): Promise<number> {
  const response = await fetch(`${to.url}/${type}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ voterId: 'd', ...body }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Greets as this member, and returns what it is told, the connection, and what it can send to. */
async function greet(
  to: Member,
  more: object = {},
): Promise<{ told: string; ws: WebSocket; send: (message: object) => Promise<void> }> {
  const ws = new WebSocket(`${to.url.replace('http', 'ws')}/link`);
  running.push(() => ws.terminate());
  ws.on('error', () => {});
  await once(ws, 'open');
  const identity = { cluster: 'caucus', incarnation: 1, life: 'x', url: 'http://127.0.0.1:9', process: null };
  ws.send(encodeHello({ id: 'd', ...identity, ...more }));
  const [told] = (await once(ws, 'message')) as [Buffer];
  const send = async (message: object): Promise<void> => {
    if (ws.readyState !== WebSocket.OPEN) return;
    ws.send(JSON.stringify(['main', message]));
    ws.ping();
    await Promise.race([once(ws, 'pong'), once(ws, 'close')]);
  };
  return { told: told.toString(), ws, send };
}

interface Attack {
  readonly name: string;
  /** What a process without the secret does. Returns what it was answered. */
  act(cluster: Attacked): Promise<unknown>;
  /** Has it worked? */
  isHarmed(cluster: Attacked, before: { readonly term: number }, answer: unknown): boolean;
}

/** Of which the others remember the latest start that they heard. */
const overstated = (cluster: Attacked): object => ({
  by: absent(cluster),
  term: cluster.termOf(cluster.leader),
});

/** The member that is down, as the others know it. */
const absent = (cluster: Attacked): object => ({ disk: cluster.diskOfD, start: 500, life: 'made-up' });

const isMade = (cluster: Attacked): boolean =>
  IDS.slice(0, 3).some((id) => cluster.recordOf(id).includes('made-up'));

/** 60 a second for three seconds, to all members in turn. Returns in how many moments a leader was there. */
async function flood(cluster: Attacked): Promise<Flooded> {
  const statuses = new Set<number>();
  let led = 0;
  for (let i = 0; i < FLOOD; i++) {
    const to = cluster.members[i % cluster.members.length]!;
    const posted = post(to, 'term', {
      by: BY,
      term: Math.max(...cluster.members.map((each) => cluster.termOf(each))) + 1,
    });
    const [status] = await Promise.all([posted, delay(1000 / 60)]);
    statuses.add(status);
    if (cluster.leader !== undefined) led++;
  }
  return { statuses: [...statuses], led };
}

const FLOOD = 180;

interface Flooded {
  readonly statuses: readonly number[];
  readonly led: number;
}

const ATTACKS: readonly Attack[] = [
  {
    name: 'a flood of 60 POSTs a second, which leaves the cluster without a leader',
    act: flood,
    isHarmed: (_cluster, _before, flooded) => (flooded as Flooded).led < FLOOD / 4,
  },
  {
    name: 'one POST that deposes the leader',
    act: (cluster) => post(cluster.leader, 'term', { by: BY, term: cluster.termOf(cluster.leader) + 1000 }),
    isHarmed: (cluster, { term }) => cluster.members.some((member) => cluster.termOf(member) > term),
  },
  {
    name: 'one POST that overstates the start of a member, on the disk',
    act: (cluster) => post(cluster.follower, 'probe', overstated(cluster)),
    isHarmed: isMade,
  },
  {
    name: 'a connection that learns what a process says of itself',
    act: async (cluster) => (await greet(cluster.follower)).told,
    isHarmed: (cluster, _before, told) =>
      String(told).includes(cluster.follower.url) && String(told).includes('"incarnation"'),
  },
  {
    name: 'a connection that raises the term',
    act: async (cluster) => {
      const term = cluster.termOf(cluster.leader) + 1000;
      const { send } = await greet(cluster.follower);
      await send({ type: 'term', by: BY, term });
    },
    isHarmed: (cluster, { term }) => cluster.members.some((member) => cluster.termOf(member) > term),
  },
  {
    name: 'a connection that overstates the start of a member, on the disk',
    act: async (cluster) => {
      const { send } = await greet(cluster.follower);
      await send({ type: 'probe', ...overstated(cluster) });
    },
    isHarmed: isMade,
  },
  {
    name: 'a connection under the id of a member that is connected, which alarms both',
    act: async (cluster) => {
      const { id } = cluster.leader;
      return Promise.race([
        greet(cluster.follower, { id }).then(({ told }) => told),
        until('told', () => cluster.logged.some((line) => line.includes('two live processes'))),
      ]);
    },
    isHarmed: (cluster) => cluster.logged.some((line) => line.includes('two live processes')),
  },
];

/** Where one member is left, which has promised nothing to a leader, any leader can be made up. */
const ATTACKS_ON_ONE: readonly Attack[] = [
  {
    name: 'a forged heartbeat, by which a member that is down leads',
    act: (cluster) => repeat(cluster, () => postHeartbeat(cluster), isLedByD),
    isHarmed: isLedByD,
  },
  {
    name: 'a forged resignation, which ends a promise',
    act: async (cluster) => {
      const status = await repeat(cluster, () => postHeartbeat(cluster), isLedByD);
      const { term } = cluster.members[0]!.electionPort('main').view;
      const posted = await post(cluster.members[0]!, 'resign', { by: absent(cluster), term, round: 1 });
      return [status, posted];
    },
    isHarmed: (cluster) => hasChange(cluster, ({ leader, cause }) => leader === null && cause === 'resigned'),
  },
  {
    name: 'a forged copy of a register, with another value, on the disk',
    act: (cluster) => {
      const { register } = cluster.savedOf(cluster.members[0]!.id as string);
      const copied = { ...register, term: TERM, version: register.version + 1, value: EVIL };
      const copy = { by: absent(cluster), register: copied };
      return repeat(cluster, () => post(cluster.members[0]!, 'publish/copy', copy), isEvil);
    },
    isHarmed: isEvil,
  },
  {
    name: 'a forged publication, by which a member that is down leads and gives it a register, on the disk',
    act: (cluster) => repeat(cluster, () => postPublication(cluster), isEvil),
    isHarmed: (cluster) => isEvil(cluster) && isLedByD(cluster),
  },
  {
    name: 'a forged commit, which shows a value that no leader published',
    act: async (cluster) => {
      const sent = await repeat(cluster, () => postPublication(cluster), isEvil);
      const { term, version } = evilRegister(cluster);
      const commit = { by: absent(cluster), term, age: { term, version } };
      return [sent, await post(cluster.members[0]!, 'publish/commit', commit)];
    },
    isHarmed: (cluster) => cluster.members[0]!.electionPort('main').view.value === EVIL,
  },
  {
    name: 'a connection that names a process that is gone, and so proves the death of a leader',
    act: proveDeath,
    isHarmed: (cluster) =>
      hasChange(cluster, ({ cause, detail }) => cause === 'closed' && detail.includes('its process is gone')),
  },
];

const EVIL = 'evil';

/** What the member has, with another value, one version later. It says the same again after it was accepted. */
function evilRegister(cluster: Attacked): Saved['register'] {
  const { register } = cluster.savedOf(cluster.members[0]!.id as string);
  if (register.value === EVIL) return register;
  return { ...register, term: TERM, version: register.version + 1, value: EVIL };
}

function postPublication(cluster: Attacked): Promise<number> {
  const body = { by: absent(cluster), term: TERM, register: evilRegister(cluster) };
  return post(cluster.members[0]!, 'publish/send', body);
}

/**
 * A process of this machine connects as the member that is down, leads, and closes. It says that its pid is one that no process
 * has, and answers on a local socket of its own, so that it is taken for a process that can be looked up.
 */
async function proveDeath(cluster: Attacked): Promise<number> {
  const local = new LocalSocket();
  running.push(() => local.close());
  const gone = { ...ownProcess()!, pid: 2 ** 22 + 1, startTime: '1' };
  const life = 'made-up';
  const { told, ws, send } = await greet(cluster.members[0]!, {
    life,
    process: gone,
    localSocket: local.name,
  });
  if (told.includes('"refused"')) return 401;
  const met = new Promise<void>((resolve) => {
    ws.on('message', (data) => {
      const { localToken } = JSON.parse(String(data)) as { localToken?: string };
      if (localToken === undefined || !local.drew(localToken)) return;
      ws.send(encodeLocalConfirmed(localToken));
      resolve();
    });
  });
  await met;
  const age = { term: 0, version: 0 };
  const by = { ...absent(cluster), life };
  await send({ type: 'heartbeat', by, term: TERM, round: 1, age, committed: age });
  await until('it leads', () => isLedByD(cluster));
  ws.terminate();
  return 200;
}

/** Far ahead of every term of these clusters. */
const TERM = 1000;

function hasChange(cluster: Attacked, is: (change: Change) => boolean): boolean {
  return cluster.members.some((member) => member.electionPort('main').history.some(is));
}

function isLedByD(cluster: Attacked): boolean {
  return hasChange(cluster, ({ leader }) => leader === 'd');
}

function isEvil(cluster: Attacked): boolean {
  return cluster.members.some(({ id }) => cluster.recordOf(id as string).includes(EVIL));
}

/** Until it has worked, or is refused. */
async function repeat(
  cluster: Attacked,
  act: () => Promise<number>,
  hasWorked: (cluster: Attacked) => boolean,
): Promise<number> {
  for (;;) {
    const status = await act();
    if (status >= 300 || hasWorked(cluster)) return status;
  }
}

function postHeartbeat(cluster: Attacked): Promise<number> {
  const age = { term: 0, version: 0 };
  const body = { by: absent(cluster), term: TERM, round: 1, age, committed: age };
  return post(cluster.members[0]!, 'heartbeat', body);
}

describe('without a secret', () => {
  afterAll(endAttacks);

  // Each has a cluster of its own, and waits for its timeouts most of the time.
  it.concurrent.for(ATTACKS)('$name works', async ({ act, isHarmed }, { onTestFinished }) => {
    const cluster = await Attacked.open({});
    onTestFinished(() => cluster.close());
    const before = { term: cluster.termOf(cluster.leader) };
    const answer = await act(cluster);
    await until('it has worked', () => isHarmed(cluster, before, answer));
  });

  it.concurrent.for(ATTACKS_ON_ONE)('$name works', async ({ act, isHarmed }, { onTestFinished }) => {
    const cluster = await Attacked.open({});
    onTestFinished(() => cluster.close());
    await cluster.leaveOne();
    const answer = await act(cluster);
    await until('it has worked', () => isHarmed(cluster, { term: 0 }, answer));
  });
});

describe('with a secret', () => {
  afterEach(endAttacks);

  let cluster: Attacked;
  beforeAll(async () => {
    cluster = await Attacked.open({ secret: SECRET });
  });
  afterAll(() => cluster.close());

  const refused = (): number =>
    cluster.members.reduce((sum, { refusals }) => sum + refusals.unauthenticated + refusals.unauthorized, 0);

  it.each(ATTACKS)('$name is refused, and nothing changes', async ({ act, isHarmed }) => {
    const before = { term: cluster.termOf(cluster.leader) };
    const { state } = cluster;
    const refusedBefore = refused();
    const answer = await act(cluster);
    // What was sent before is processed by then.
    for (const member of cluster.members) await (await fetch(`${member.url}/status`)).arrayBuffer();
    expect(isHarmed(cluster, before, answer)).toBe(false);
    expect(cluster.state).toEqual(state);
    expect(refused()).toBeGreaterThan(refusedBefore);
  });

  it('100 connections without a proof cost no save, and are told at most once a second', async () => {
    const { state, leader } = cluster;
    const refusedBefore = leader.refusals.unauthenticated;
    const startMs = performance.now();
    const linesBefore = cluster.logged.length;
    for (let i = 0; i < 100; i++) await greet(leader);
    const seconds = (performance.now() - startMs) / 1000;
    expect(cluster.state).toEqual(state);
    expect(leader.refusals.unauthenticated - refusedBefore).toBe(100);
    // Other lines, of a busy machine, are not about them.
    const told = cluster.logged.slice(linesBefore).filter((line) => line.includes('does not prove'));
    expect(told.length).toBeGreaterThan(0);
    expect(told.length).toBeLessThanOrEqual(2 + seconds);
  });

  it('no log line shows it', () => {
    expect(cluster.logged.length).toBeGreaterThan(10);
    expect(cluster.logged.join('\n')).not.toContain(SECRET);
  });

  it.each(ATTACKS_ON_ONE)('$name is refused, and nothing changes', async ({ act, isHarmed }) => {
    // The first of these leaves one member, and the others find it so.
    if (cluster.members.length > 1) await cluster.leaveOne();
    const [member] = cluster.members;
    const stateOf = (): object => {
      const { leader, term, version, value } = member!.electionPort('main').view;
      return { leader, term, version, value, record: cluster.recordOf(member!.id as string) };
    };
    const before = stateOf();
    const refusedBefore = refused();
    const answer = await act(cluster);
    expect(new Set([answer].flat())).toEqual(new Set([401]));
    expect(isHarmed(cluster, { term: 0 }, answer)).toBe(false);
    expect(stateOf()).toEqual(before);
    expect(refused()).toBeGreaterThan(refusedBefore);
  });
});
