import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answered, ask, openMembers, settled, type TestMember, until } from './test-member.ts';

/** Long enough that no lease ends by itself, however busy the machine is. */
const STEADY = { timing: { heartbeatMs: 50, timeoutMs: [2000, 3000], leaseMs: 1900 } };

/** One cluster for all: every test leaves it with a leader. */
let members: TestMember[] = [];
beforeAll(async () => {
  members = await openMembers(['a', 'b', 'c'], STEADY);
});
afterAll(() => closeAll(members));

async function closeAll(all: readonly TestMember[]): Promise<void> {
  for (const member of all) await member.close();
}

async function open(): Promise<{ leader: TestMember; others: TestMember[] }> {
  const leader = await settled(members);
  return { leader, others: members.filter((member) => member !== leader) };
}

const errorOf = ({ status, json }: Answered): unknown => [status, json.error.code, json.error.message];

describe('POST /resign', () => {
  it('makes another member lead with a newer token', async () => {
    const { leader } = await open();
    const before = leader.main.view.term!;
    const { status, json } = await ask(leader, 'POST', '/resign');
    expect([status, json.acting]).toEqual([200, false]);
    const next = await settled(members);
    expect(next).not.toBe(leader);
    expect(next.main.view.term).toBeGreaterThan(before);
  });

  it('is refused by a member that does not lead, which says who does and where', async () => {
    const { leader, others } = await open();
    const answered = await ask(others[0]!, 'POST', '/resign', {});
    expect(errorOf(answered)).toEqual([409, 'E_REFUSED', `${leader.id} is the leader`]);
    expect(answered.json.error).toMatchObject({
      outcome: 'definite',
      leader: leader.id,
      leaderUrl: leader.url,
    });
  });

  it('takes no fields', async () => {
    const { leader } = await open();
    const answered = await ask(leader, 'POST', '/resign', { force: true });
    expect(errorOf(answered)).toEqual([
      400,
      'E_BAD_INPUT',
      'force: expected no fields here, found an unknown field',
    ]);
    expect(leader.main.acting).toBe(true);
  });
});

describe('POST /transfer', () => {
  it.each([
    ['/transfer', 'to'],
    ['/switchover', 'candidate'],
    ['/elections/main/transfer', 'to'],
  ])('hands over (%s)', async (path, field) => {
    const { leader, others } = await open();
    const to = others[1]!;
    const answered = await ask(leader, 'POST', path, { [field]: to.id, leader: leader.id });
    expect(answered.status).toBe(200);
    expect(await settled(members)).toBe(to);
  });

  it('fails a precondition with 412 and does nothing', async () => {
    const { leader, others } = await open();
    const [b, c] = others as [TestMember, TestMember];
    for (const [member, body, message] of [
      [b, { to: c.id }, `${leader.id} is the leader`],
      [leader, { to: b.id, leader: c.id }, `leader: expected ${c.id}, but ${leader.id} leads`],
      [leader, { to: 'nobody' }, expect.stringContaining('nobody')],
    ] as const) {
      expect(errorOf(await ask(member, 'POST', '/transfer', body))).toEqual([412, 'E_PRECONDITION', message]);
    }
    expect(leader.main.acting).toBe(true);
  });

  it('needs to know to whom', async () => {
    const { leader } = await open();
    const answered = await ask(leader, 'POST', '/transfer', {});
    expect(answered.status).toBe(400);
    expect(answered.json.error.message).toMatch(/^to: expected an id: .*, found nothing$/);
    expect((await ask(leader, 'POST', '/transfer', { to: 'b', when: 'now' })).json.error.message).toBe(
      'when: expected one of the fields to, candidate, leader, found an unknown field',
    );
  });

  it('does not open an election', async () => {
    const { leader } = await open();
    expect((await ask(leader, 'POST', '/elections/unheard/transfer', { to: 'b' })).status).toBe(404);
    expect(leader.elections.map(({ name }) => name)).not.toContain('unheard');
  });
});

describe('/value', () => {
  it('is published by the leader and read everywhere', async () => {
    const { leader, others } = await open();
    const value = { address: '10.0.0.5', ports: [1, 2], ünïcode: '✓' };
    const put = await ask(leader, 'PUT', '/value', { value });
    expect([put.status, put.json.value]).toEqual([200, value]);
    expect(put.json.version).toBeGreaterThan(0);
    const follower = others[0]!;
    await until(follower.main, () => follower.main.view.version >= put.json.version);
    const got = await ask(follower, 'GET', '/value');
    expect(got.json).toEqual({ ...put.json, electionName: 'main' });
  });

  it('is refused by a follower', async () => {
    const { leader, others } = await open();
    const answered = await ask(others[0]!, 'PUT', '/value', { value: 1 });
    expect(errorOf(answered)).toEqual([409, 'E_REFUSED', `${leader.id} is the leader`]);
  });

  it('needs a value', async () => {
    const { leader } = await open();
    expect(errorOf(await ask(leader, 'PUT', '/value', {}))).toEqual([
      400,
      'E_BAD_INPUT',
      'value: expected a JSON value of at most 100 levels, found nothing',
    ]);
    expect(errorOf(await ask(leader, 'PUT', '/value', [1]))).toEqual([
      400,
      'E_BAD_INPUT',
      'the document: expected an object, found [1]',
    ]);
  });

  it('is not to be had where the protocol publishes nothing', async () => {
    const draw = await openMembers([1], {
      protocol: 'draw',
      timing: { heartbeatMs: 20, timeoutMs: [20, 40] },
    });
    const answered = await ask(draw[0]!, 'PUT', '/value', { value: 1 });
    await closeAll(draw);
    expect([answered.status, answered.json.error.code]).toEqual([409, 'E_REFUSED']);
  });
});

describe('a command', () => {
  it('that failed without anybody knowing how gets 503, and says so', async () => {
    const timing = { heartbeatMs: 50, timeoutMs: [1000, 1500], leaseMs: 900, commitTimeoutMs: 100 };
    const parted = await openMembers(['x', 'y', 'z'], { timing });
    const leader = await settled(parted);
    // The others are gone before the publication can reach them, and the lease has not run out yet.
    const gone = parted.filter((member) => member !== leader).map((member) => member.close());
    const { status, json } = await ask(leader, 'PUT', '/value', { value: 1 });
    await Promise.all(gone);
    await leader.close();
    expect([status, json.error.code, json.error.outcome]).toEqual([503, 'E_FAILED', 'indefinite']);
  });

  it('starts an election from outside: POST /election/start', async () => {
    const { others } = await open();
    expect((await ask(others[0]!, 'POST', '/election/start')).status).toBe(200);
    // Its program has never spoken of this one, so it does not stand in it, and nothing is opened to say so.
    const unknown = await ask(others[0]!, 'POST', '/elections/reports/election/start', {});
    expect([unknown.status, unknown.json.error.code]).toEqual([404, 'E_NO_ELECTION']);
    expect(others[0]!.elections).toHaveLength(1);
    const reports = others[0]!.electionPort('reports');
    expect((await ask(others[0]!, 'POST', '/elections/reports/election/start', {})).status).toBe(200);
    await until(reports, () => reports.view.leader !== null);
  });

  it('of a web page elsewhere changes nothing', async () => {
    const { leader } = await open();
    const foreign = await ask(leader, 'POST', '/resign', undefined, { origin: 'http://evil.example' });
    expect([foreign.status, foreign.json.error.code]).toEqual([403, 'E_ORIGIN']);
    expect((await ask(leader, 'POST', '/resign', undefined, { origin: 'null' })).status).toBe(403);
    expect((await ask(leader, 'PUT', '/value', { value: 1 }, { origin: 'http://evil.example' })).status).toBe(
      403,
    );
    const neighbour = await ask(leader, 'POST', '/resign', undefined, { origin: 'http://127.0.0.1:1' });
    expect(neighbour.status).toBe(403);
    // The name was made to lead here; the page then is of the very host that it calls.
    const rebound = { origin: 'http://evil.example', host: 'evil.example' };
    expect((await ask(leader, 'POST', '/resign', undefined, rebound)).status).toBe(403);
    expect(leader.main.acting).toBe(true);
    expect((await ask(leader, 'PUT', '/value', { value: 1 }, { origin: leader.url })).status).toBe(200);
  });
});
