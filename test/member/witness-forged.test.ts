/** Reports of deaths that a member must not believe, and who may send any; and members of an earlier release beside those that take reports. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ownProcess } from '../../src/member/evidence.ts';
import { type AnyJoinOptions, join, type Member } from '../../src/member/index.ts';
import { encodeWitnessed, readFrame } from '../../src/member/links/frames.ts';
import { compiled } from '../support/compiled.ts';
import { freePorts } from '../support/free-ports.ts';
import { until } from '../support/linked.ts';
import { RestVoterProof } from '../support/rest-voter-proof.ts';
import { EarlierRelease } from '../support/rolling.ts';

const SECRET = 'the-secret-of-a-test';
const HERE = ownProcess()!;
const HOST = { bootId: HERE.bootId, pidNamespace: HERE.pidNamespace };

const running: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((stop) => stop()));
});

interface Started {
  readonly member: Member;
  readonly logged: string[];
}

async function start(
  id: string,
  ports: Readonly<Record<string, number>>,
  options: AnyJoinOptions = {},
  joining: (options: AnyJoinOptions) => Promise<Member> = join,
): Promise<Started> {
  const logged: string[] = [];
  const member = await joining({
    id,
    peers: Object.entries(ports).map(([peer, port]) => ({ id: peer, url: `http://127.0.0.1:${port}` })),
    secret: SECRET,
    log: ({ message }) => logged.push(message),
    ...options,
  });
  running.push(() => member.close());
  return { member, logged };
}

async function portsOf<T extends string>(...ids: readonly T[]): Promise<Record<T, number>> {
  const ports = await freePorts(ids.length);
  return Object.fromEntries(ids.map((id, i) => [id, ports[i]!])) as Record<T, number>;
}

const isLinked = ({ member }: Started, to: string): boolean =>
  member.links.some(({ id, via }) => id === to && via === 'link');

interface Sent {
  readonly status: number;
  readonly body: Record<string, unknown> & { readonly neighbour?: { life: string; process: object } };
}

async function send(prover: RestVoterProof, url: string, body: object): Promise<Sent> {
  const answer = await prover.fetch(url, '/witness', 'POST', JSON.stringify(body));
  return {
    status: answer?.status ?? 0,
    body: answer === null ? {} : ((await answer.json()) as Sent['body']),
  };
}

describe('a report of a death', () => {
  it('is believed of a trusted witness, of its own host, and of the process that greeted; nothing else is', async () => {
    const ports = await portsOf('a', 'b');
    const [a, b] = await Promise.all([
      start('a', ports, { trustWitnesses: ['w'] }),
      start('b', ports, { trustWitnesses: ['w'] }),
    ]);
    await until('they are connected', () => isLinked(a, 'b') && isLinked(b, 'a'));
    const w = new RestVoterProof('w', 'caucus', SECRET);
    const { life, process } = (await send(w, a.member.url, { voterId: 'w', host: HOST })).body.neighbour!;
    const death = { id: 'a', life, process };
    const report = (gone: object, more: object = {}): Promise<Sent> =>
      send(w, b.member.url, { voterId: 'w', host: HOST, gone: [gone], ...more });
    const disbelieved = (why: string): boolean =>
      b.logged.some((line) => line.includes('has no effect') && line.includes(why));

    const elsewhere = { ...HOST, bootId: 'elsewhere' };
    await report(death, { host: elsewhere });
    await until('another host', () => disbelieved('its own host'));
    const forged: readonly (readonly [object, string])[] = [
      [{ ...death, life: 'another' }, 'no process with that life'],
      [{ ...death, process: { ...process, pid: 1 } }, 'runs elsewhere'],
      [{ ...death, id: 'b' }, 'about this member itself'],
      [{ ...death, id: 'nobody' }, 'no process with that life'],
    ];
    for (const [gone, why] of forged) {
      // The log tells the same kind once a second.
      const before = b.member.refusals.impossible;
      expect((await report(gone)).status).toBe(200);
      expect(b.member.refusals.impossible, why).toBe(before + 1);
    }

    // Who may send one: no other witness, no process with another secret, and none without a proof.
    const another = new RestVoterProof('x', 'caucus', SECRET);
    const refused = await send(another, b.member.url, { voterId: 'x', host: HOST, gone: [death] });
    expect([refused.status, refused.body]).toEqual([403, expect.objectContaining({})]);
    const lent = await send(another, b.member.url, { voterId: 'w', host: HOST, gone: [death] });
    expect(lent.status).toBe(403);
    const stranger = new RestVoterProof('w', 'caucus', 'another-secret-of-a-test');
    expect((await send(stranger, b.member.url, { voterId: 'w', host: HOST, gone: [death] })).status).toBe(0);
    const plain = await fetch(`${b.member.url}/witness`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ voterId: 'w', host: HOST, gone: [death] }),
    });
    expect(plain.status).toBe(401);
    expect(isLinked(b, 'a')).toBe(true);
    expect(b.logged.filter((line) => line.includes('witnessed by'))).toEqual([]);

    // The same report is believed of the witness that is trusted: it lies here, and the process greets again.
    expect((await report(death)).status).toBe(200);
    const believed = 'the process of a is gone, witnessed by w';
    await until('it is believed', () => b.logged.includes(believed));
    await until('the process that lives is back', () => isLinked(b, 'a'));
    expect((await report(death)).status).toBe(200);
    expect(b.logged.filter((line) => line === believed)).toHaveLength(1);
  });

  it('cannot be replayed: the proof of its request is accepted once', async () => {
    const ports = await portsOf('a', 'b');
    const { member } = await start('a', ports, { trustWitnesses: true });
    const requests: RequestInit[] = [];
    const real = globalThis.fetch;
    globalThis.fetch = (url, init) => {
      requests.push(init!);
      return real(url, init);
    };
    try {
      await send(new RestVoterProof('w', 'caucus', SECRET), member.url, { voterId: 'w', host: HOST });
    } finally {
      globalThis.fetch = real;
    }
    const again = await fetch(`${member.url}/witness`, requests.at(-1)!);
    expect([again.status, await again.text()]).toEqual([401, expect.stringContaining('E_PROOF_OLD')]);
  });

  it('is taken by no member that trusts no witness', async () => {
    const ports = await portsOf('a', 'b');
    const { member } = await start('a', ports);
    const { status, body } = await send(new RestVoterProof('w', 'caucus', SECRET), member.url, {
      voterId: 'w',
      host: HOST,
    });
    expect([status, JSON.stringify(body)]).toEqual([409, expect.stringContaining('takes no reports')]);
  });

  it('has a shape, and a frame without it is refused', () => {
    const report = { id: 'a', life: 'l', process: HERE };
    expect(readFrame(encodeWitnessed(report))).toEqual({ type: 'witnessed', report });
    for (const bad of [null, {}, { ...report, life: 1 }, { ...report, process: null }, { ...report, id: '' }])
      expect(readFrame(JSON.stringify({ witnessed: bad })).type).toBe('bad');
  });

  it.each([
    { trustWitnesses: 'yes' },
    { trustWitnesses: [] },
    { trustWitnesses: [{}] },
    { trustWitnesses: 1 },
  ])('needs a setting that can be read: $trustWitnesses', async (options) => {
    const given = { id: 'a', secret: SECRET, ...options } as unknown as AnyJoinOptions;
    await expect(join(given)).rejects.toThrow(/^trustWitnesses.*: expected /);
  });

  it('needs members that authenticate', async () => {
    await expect(join({ id: 'a', insecure: true, trustWitnesses: true })).rejects.toThrow(
      /^trustWitnesses: expected certificates \(tls\) or a secret/,
    );
  });
});

describe('members of an earlier release', () => {
  it('are sent no reports by those that take some, and elect with them', async () => {
    const earlier = new EarlierRelease();
    running.push(() => earlier.remove());
    const ports = await portsOf('new', 'old', 'dying');
    const { join: joinEarlier } = (await import(earlier.build)) as { join: typeof join };
    const old = await start('old', ports, {}, joinEarlier);
    const fresh = await start('new', ports, { trustWitnesses: true });
    const peers = Object.entries(ports).map(([id, port]) => ({ id, url: `http://127.0.0.1:${port}` }));
    const options = { id: 'dying', peers, secret: SECRET, trustWitnesses: true };
    const script = await compiled(path.resolve(import.meta.dirname, '../support/member-process.ts'));
    const child = spawn(process.execPath, [script, JSON.stringify(options)], { stdio: 'ignore' });
    await until('all are connected', () =>
      [old, fresh].every((each) => isLinked(each, 'dying') && isLinked(each, each === old ? 'new' : 'old')),
    );
    for (const { member } of [old, fresh]) member.seat().stand();
    const views = () => [old, fresh].map(({ member }) => member.electionPort('main').view);
    const leaders = (): unknown[] => views().map(({ leader }) => leader);
    // A member hears of the leader before it may vote itself (role `none`), for which it needs all three at a first start.
    await until(
      'all have founded the cluster',
      () =>
        views().every(({ role }) => role !== 'none') &&
        leaders()[0] !== null &&
        leaders()[0] === leaders()[1],
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
    await until('both elect one of them', () => {
      const [first, second] = leaders();
      return first !== 'dying' && first !== null && first === second;
    });
    expect(old.logged.filter((line) => line.includes('refuse'))).toEqual([]);
    expect(fresh.logged.filter((line) => line.includes('refuse'))).toEqual([]);
  });
});
