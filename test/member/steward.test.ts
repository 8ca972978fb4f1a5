/** An operator's wish to hand over reaches the work before it reaches the others. */
import { afterEach, describe, expect, it } from 'vitest';
import { deferred } from '../../src/election/deferred.ts';
import { Election } from '../../src/election/index.ts';
import { type ElectionPort, join, type Member } from '../../src/member/index.ts';
import { Cluster } from '../support/cluster.ts';

/** So slow that a busy machine loses no leadership by itself. */
const SLOW = {
  timing: { heartbeatMs: 50, timeoutMs: [700, 900], leaseMs: 600 },
} as const;

let members: Member[] = [];
let cluster: Cluster | null = null;
afterEach(async () => {
  await Promise.all(members.map((member) => member.close()));
  members = [];
  await cluster?.close();
  cluster = null;
});

async function alone(): Promise<Member> {
  const member = await join({ ...SLOW, id: 'a', peers: [] });
  members.push(member);
  return member;
}

/** Work that stops when the test says so, however long ago it was told to. */
class StubbornWork {
  readonly port: ElectionPort;
  readonly settled: Promise<unknown>;
  readonly calledOff: AbortController = new AbortController();
  readonly #begun: Promise<AbortSignal>;
  readonly stop: () => void;

  constructor(member: Member, election: Election = member.election()) {
    this.port = member.electionPort(election.name);
    const stopped = deferred();
    const begun = deferred<AbortSignal>();
    this.stop = () => stopped.resolve();
    this.#begun = begun.promise;
    let calls = 0;
    const work = async ({ signal }: { signal: AbortSignal }): Promise<void> => {
      calls += 1;
      if (calls > 1) return;
      begun.resolve(signal);
      await stopped.promise;
    };
    this.settled = election.lead(work, { signal: this.calledOff.signal }).catch((error: unknown) => error);
  }

  /** Its signal, once it runs. */
  get signal(): Promise<AbortSignal> {
    return this.#begun;
  }
}

it('POST /resign waits for the work to stop, and releases only then', { timeout: 30_000 }, async () => {
  const member = await alone();
  const election = member.election();
  const told: string[] = [];
  let stop = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  let begun = (): void => {};
  const working = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const tokens: bigint[] = [];
  const leading = election.lead(async ({ signal, token }) => {
    tokens.push(token);
    if (tokens.length > 1) return 'second';
    begun();
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    told.push(`told to stop, while ${member.electionPort('main').view.role}`);
    await stopped;
    told.push('stopped');
    return 'first';
  });
  await working;
  const asked = fetch(`${member.url}/resign`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  }).then(({ status }) => told.push(`answered ${status}`));
  await new Promise((resolve) => setImmediate(resolve));
  stop();
  await asked;
  expect(told).toEqual(['told to stop, while leader', 'stopped', 'answered 200']);
  expect(await leading).toBe('second');
  expect(tokens[1]! > tokens[0]!).toBe(true);
});

describe('while the work is stopping', () => {
  const ends: Record<string, (work: StubbornWork, member: Member) => Promise<unknown>> = {
    'an earlier request': ({ port }) => port.command({ type: 'resign' }),
    'the signal of its lead': async ({ calledOff }) => calledOff.abort(),
    'the end of the member': (_work, member) => member.close(),
  };
  for (const [why, end] of Object.entries(ends)) {
    it(`because of ${why}, a resignation waits and a transfer is refused`, async () => {
      const member = await alone();
      const work = new StubbornWork(member);
      const signal = await work.signal;
      const { port } = work;
      const ending = end(work, member);
      expect(signal.aborted).toBe(true);
      const second = port.command({ type: 'resign' });
      expect(await port.command({ type: 'transfer', to: 'b' })).toEqual({
        status: 'refused',
        reason: 'the leader is already resigning',
      });
      expect(port.view.role).toBe('leader'); // Nobody else can lead yet.
      work.stop();
      expect(await second).toEqual({ status: 'done' });
      await ending;
      work.calledOff.abort();
      await work.settled;
    });
  }
});

describe('an order that cannot be carried out', () => {
  it('does not stop the work', async () => {
    cluster = await Cluster.start(['a', 'b', 'c'], SLOW);
    const [a, , c] = cluster.members as [Member, Member, Member];
    const work = new StubbornWork(a);
    const signal = await work.signal;
    await cluster.leader();
    const { port } = work;
    const reasons: Record<string, RegExp> = {
      'no-such-member': /no-such-member is not a member/,
      a: /a is the leader already/,
      b: /b (has priority 0 and never leads|does not answer)/,
    };
    for (const [to, reason] of Object.entries(reasons)) {
      const refusal = { status: 'refused', reason: expect.stringMatching(reason) };
      expect(await port.command({ type: 'transfer', to })).toEqual(refusal);
    }
    expect(signal.aborted).toBe(false);
    expect(c.election().leader()).toMatchObject({ name: 'a' });
    work.stop();
    await work.settled;
  });

  it('is not tried where there is nobody to remove it from', async () => {
    const work = new StubbornWork(await alone());
    const signal = await work.signal;
    expect(await work.port.command({ type: 'remove', member: 'a' })).toEqual({
      status: 'refused',
      reason: 'it is the last member',
    });
    expect(signal.aborted).toBe(false);
    work.stop();
    await work.settled;
  });
});

it('a leader that is removed stops its work before anybody else may lead', async () => {
  cluster = await Cluster.start(['a', 'b', 'c'], SLOW);
  const [a, b] = cluster.members as [Member, Member, Member];
  const work = new StubbornWork(a);
  const signal = await work.signal;
  b.seat().stand();
  const { port } = work;
  const removed = port.command({ type: 'remove', member: 'a' });
  expect(signal.reason).toMatchObject({ cause: 'removed' });
  expect(port.view.members).toContain('a');
  expect(port.acting).toBe(true);
  expect(cluster.acting()).toEqual([a]);
  work.stop();
  expect(await removed).toEqual({ status: 'done' });
  expect(await cluster.until(() => cluster!.acting().find((each) => each !== a))).toBe(b);
  expect(port.view.members).toEqual(['b', 'c']);
  expect(port.history.map(({ cause }) => cause)).toContain('removed');
  work.calledOff.abort();
  await work.settled;
});

it('an election that somebody made on a member is looked after like its own', async () => {
  const member = await alone();
  const election = new Election('report', member, { drainMs: 5000 });
  expect(member.election('report')).toBe(election);
  const work = new StubbornWork(member, election);
  const signal = await work.signal;
  const resigned = work.port.command({ type: 'resign' });
  expect([signal.aborted, work.port.view.role]).toEqual([true, 'leader']);
  work.stop();
  expect(await resigned).toEqual({ status: 'done' });
  work.calledOff.abort();
  await work.settled;
  const waiting = election.campaign();
  void member.close();
  await expect(waiting).rejects.toMatchObject({ code: 'E_CLOSED' });
});

describe('a member that is closing', () => {
  it('has no elections any more, and settles whoever waits in one', async () => {
    cluster = await Cluster.start(['a', 'b', 'c'], SLOW);
    const [a, b] = cluster.members as [Member, Member, Member];
    a.seat().stand();
    await cluster.leader();
    const election = b.election();
    const waiting = election.campaign();
    const closed = b.close();
    for (const open of [() => b.election(), () => b.seat(), () => b.election('another')])
      expect(open).toThrow(expect.objectContaining({ code: 'E_CLOSED' }));
    await expect(waiting).rejects.toMatchObject({ code: 'E_CLOSED' });
    await expect(election.lead(() => 1)).rejects.toMatchObject({ code: 'E_CLOSED' });
    await closed;
    expect(() => b.election()).toThrow(expect.objectContaining({ code: 'E_CLOSED' }));
  });
});
