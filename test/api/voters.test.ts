import http from 'node:http';
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Answered, ask, openMembers, settled, type TestMember } from './test-member.ts';

/** A voter that registers and then is silent is not forgotten in the course of a test. */
const DRAW = { protocol: 'draw', timing: { heartbeatMs: 200, timeoutMs: [10, 20] } };

let members: TestMember[] = [];
afterEach(async () => {
  for (const member of members) await member.close();
  members = [];
});

async function openDraw(ids: readonly (string | number)[] = [1]): Promise<TestMember> {
  members = await openMembers(ids, DRAW);
  return members[0]!;
}

const errorOf = ({ status, json }: Answered): unknown => [status, json.error.code, json.error.message];

const beat = { role: 'follower', leader: null, term: 0, election: 0, knownVoters: [1, 7], offline: [] };

describe('POST /register', () => {
  it('makes a voter known and tells it whom it joins', async () => {
    const one = await openDraw();
    await settled(members);
    const voterUrl = 'http://127.0.0.1:9';
    const { status, json } = await ask(one, 'POST', '/register', { voterId: 7, voterUrl });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      voterId: 1,
      voterUrl: one.url,
      leader: 1,
      knownVoters: [1, 7],
      configured: [1],
    });
    expect(json.voters).toMatchObject([
      { voterId: 1, voterUrl: one.url },
      { voterId: 7, voterUrl },
    ]);
  });

  it('reads digits as a number, and drops the slash at the end of a URL', async () => {
    const one = await openDraw();
    await ask(one, 'POST', '/register', { voterId: '7', voterUrl: 'http://127.0.0.1:9/' });
    expect(one.voters.at(-1)).toEqual({ id: 7, url: 'http://127.0.0.1:9' });
  });

  it('is refused where the voters are those that are configured', async () => {
    members = await openMembers(['a']);
    const body = { voterId: 'b', voterUrl: 'http://127.0.0.1:9' };
    for (const path of ['/register', '/elections/other/register']) {
      const answered = await ask(members[0]!, 'POST', path, body);
      const reason = 'the voters of quorum are those that are configured';
      expect(errorOf(answered)).toEqual([409, 'E_REFUSED', reason]);
    }
    expect(members[0]!.voters).toHaveLength(1);
    expect(members[0]!.elections).toHaveLength(1);
  });

  it('a message that cannot be read opens no election', async () => {
    const one = await openDraw();
    await ask(one, 'POST', '/register', { voterId: 7, voterUrl: 'http://127.0.0.1:9' });
    const before = one.elections.length;
    expect((await ask(one, 'POST', '/elections/x1/heartbeat', { voterId: 7, role: 1 })).status).toBe(404);
    expect((await ask(one, 'POST', '/elections/x2/remove', { voterId: 7 })).status).toBe(404);
    expect(one.elections).toHaveLength(before);
  });

  it('lets a voter find out that it has found itself', async () => {
    const one = await openDraw();
    const { status, json } = await ask(one, 'POST', '/register', { voterId: 1, voterUrl: one.url });
    expect([status, json.voterId]).toEqual([200, 1]);
    expect(one.voters.length).toBe(1);
  });

  it('refuses another voter with its own id', async () => {
    const one = await openDraw();
    const answered = await ask(one, 'POST', '/register', { voterId: 1, voterUrl: 'http://127.0.0.1:9' });
    const message = `http://127.0.0.1:9 uses the id 1, which is that of this member at ${one.url}`;
    expect(errorOf(answered)).toEqual([409, 'E_SAME_ID', message]);
    expect(one.refusals['same-id']).toBe(1);
  });

  it('refuses a URL that may not be called, with the reason', async () => {
    const one = await openDraw();
    const answered = await ask(one, 'POST', '/register', { voterId: 7, voterUrl: 'http://169.254.169.254' });
    const message = 'http://169.254.169.254 is neither configured nor on this machine';
    expect(errorOf(answered)).toEqual([403, 'E_REFUSED', message]);
    expect(one.refusals['unknown-member']).toBe(1);
  });

  it.each([
    [{}, 'voterId: expected an id'],
    [
      { voterId: 7 },
      'voterUrl: expected a URL like http://127.0.0.1:7101, without a user, ? and #, found nothing',
    ],
    [{ voterId: 'a b', voterUrl: 'http://x' }, 'voterId: expected an id'],
    [{ voterId: 'constructor', voterUrl: 'http://x' }, 'voterId: expected an id'],
    [{ voterId: 7, voterUrl: 'file:///etc/passwd' }, 'voterUrl: expected a URL'],
    [{ voterId: 7, voterUrl: 'http://user:secret@host' }, 'voterUrl: expected a URL'],
    [{ voterId: 7, voterUrl: 'http://host/?x=1' }, 'voterUrl: expected a URL'],
    [{ voterId: 7, voterUrl: 'nowhere' }, 'voterUrl: expected a URL'],
    [
      { voterId: 7, voterUrl: 'http://127.0.0.1:9', colour: 'red' },
      'colour: expected one of the fields voterId',
    ],
    [[], 'the document: expected an object, found []'],
    ['"text"', 'the document: expected an object, found "text"'],
  ])('refuses %j', async (body, message) => {
    const one = await openDraw();
    const answered = await ask(one, 'POST', '/register', body);
    expect([answered.status, answered.json.error.code]).toEqual([400, 'E_BAD_INPUT']);
    expect(answered.json.error.message).toContain(message);
    expect(one.voters.length).toBe(1);
  });
});

describe('a message', () => {
  async function openWithSeven(): Promise<TestMember> {
    const one = await openDraw();
    await settled(members);
    await ask(one, 'POST', '/register', { voterId: 7, voterUrl: 'http://127.0.0.1:9' });
    return one;
  }
  const from = { voterId: 7, voterUrl: 'http://127.0.0.1:9' };

  it('that needs no answer gets 204', async () => {
    const one = await openWithSeven();
    const { status, text } = await ask(one, 'POST', '/heartbeat', { ...from, ...beat });
    expect([status, text]).toEqual([204, '']);
  });

  it('may write ids of digits as text, but not other numbers', async () => {
    const one = await openWithSeven();
    const texts = { ...from, ...beat, voterId: '7', knownVoters: ['1', '7'], offline: [] };
    expect((await ask(one, 'POST', '/heartbeat', texts)).status).toBe(204);
    expect((await ask(one, 'POST', '/heartbeat', { ...texts, term: '1' })).status).toBe(400);
  });

  it('gets whatever the protocol says to that in the answer', async () => {
    const one = await openWithSeven();
    const { status, json } = await ask(one, 'POST', '/heartbeat', { ...from, ...beat, knownVoters: [7] });
    expect([status, json.voterId]).toEqual([200, 1]);
    expect(json.messages).toEqual([{ type: 'reconcile', knownVoters: [1, 7] }]);
  });

  it('gets the fields of TYPE/answer', async () => {
    members = await openMembers(['a', 'b', 'c']);
    const [a] = members as [TestMember];
    const by = { disk: '0', start: 1, life: 'b/1' };
    const body = { voterId: 'b', voterUrl: members[1]!.url, term: 0, by };
    const { status, json } = await ask(a, 'POST', '/probe', body);
    expect([status, json.to, json.voterId, json.type]).toEqual([200, 'b/1', 'a', undefined]);
  });

  it('of an unknown voter gets 403', async () => {
    const one = await openDraw();
    const answered = await ask(one, 'POST', '/heartbeat', { ...from, ...beat });
    expect(errorOf(answered)).toEqual([
      403,
      'E_UNKNOWN_MEMBER',
      '7 is not a voter that this member knows; register it first',
    ]);
    expect(one.refusals['unknown-member']).toBe(1);
  });

  it('of somebody with our own id gets 409', async () => {
    const one = await openDraw();
    const answered = await ask(one, 'POST', '/heartbeat', { ...from, ...beat, voterId: 1 });
    expect([answered.status, answered.json.error.code]).toEqual([409, 'E_SAME_ID']);
    expect(one.refusals['same-id']).toBe(1);
  });

  it.each([
    [{ ...beat, term: -1 }, 'term: expected a whole number from 0'],
    [{ ...beat, role: 'king' }, 'role: expected "leader" or "follower" or "none", found "king"'],
    [{ ...beat, knownVoters: [1, {}] }, 'knownVoters[1]: expected an id'],
    [{ ...beat, extra: 1 }, 'extra: expected one of the fields role'],
    [{}, 'role: expected'],
  ])('of the wrong shape gets 400 with what was expected where: %j', async (body, message) => {
    const one = await openWithSeven();
    const answered = await ask(one, 'POST', '/heartbeat', { ...from, ...body });
    expect([answered.status, answered.json.error.code]).toEqual([400, 'E_BAD_INPUT']);
    expect(answered.json.error.message).toContain(message);
    expect(one.refusals['bad-shape']).toBe(1);
  });

  it('without a sender gets 400', async () => {
    const answered = await ask(await openDraw(), 'POST', '/heartbeat', beat);
    expect([answered.status, answered.json.error.path]).toEqual([400, 'voterId']);
  });

  it('of an unknown type gets 404 and is counted', async () => {
    const one = await openDraw();
    expect((await ask(one, 'POST', '/pre-vote', { ...from })).status).toBe(404);
    expect(one.refusals['unknown-type']).toBe(1);
  });

  it('may open an election by its name', async () => {
    const one = await openWithSeven();
    const path = '/elections/reports/register';
    expect((await ask(one, 'POST', path, from)).json.electionName).toBe('reports');
    expect(one.elections.map(({ name }) => name)).toEqual(['main', 'reports']);
  });

  it('and a command may have the same path', async () => {
    members = await openMembers(['a', 'b', 'c'], {
      timing: { heartbeatMs: 50, timeoutMs: [2000, 3000], leaseMs: 1900 },
    });
    void members[0]!.main.command({ type: 'campaign' });
    const leader = await settled(members);
    const follower = members.find((member) => member !== leader)!;
    const sender = { voterId: leader.id, voterUrl: leader.url };
    // The message says that the leader of this term has resigned, and sets the follower free; it is not a command to it.
    const posted = await ask(follower, 'POST', '/resign', {
      ...sender,
      term: leader.main.view.term,
      round: 1,
      by: { disk: '0', start: 1, life: '1' },
    });
    expect(posted.status).toBeLessThan(300);
    expect((await ask(follower, 'POST', '/resign')).status).toBe(409);
  });
});

describe('POST /remove', () => {
  it('of another voter is a message', async () => {
    const one = await openDraw([1, 2]);
    const two = members[1]!;
    await settled(members);
    await ask(one, 'POST', '/register', { voterId: 7, voterUrl: 'http://127.0.0.1:9' });
    const { status } = await ask(one, 'POST', '/remove', { voterId: 7, voterUrl: two.url });
    expect(status).toBe(204);
    expect((await ask(one, 'GET', '/status')).json.knownVoters).toEqual([1, 2]);
  });

  it('of a voter that leaves is a message too', async () => {
    const one = await openDraw();
    const voterUrl = 'http://127.0.0.1:9';
    await ask(one, 'POST', '/register', { voterId: 7, voterUrl });
    expect((await ask(one, 'POST', '/remove', { voterId: 7, voterUrl })).status).toBe(204);
    expect((await ask(one, 'GET', '/status')).json.knownVoters).toEqual([1]);
  });

  it('of a person is a command', async () => {
    const one = await openDraw([1, 2]);
    await settled(members);
    const { status, json } = await ask(one, 'POST', '/remove', { voterId: '2' });
    expect([status, json.voterId]).toEqual([200, 1]);
    expect((await ask(one, 'GET', '/status')).json.knownVoters).toEqual([1]);
    const again = await ask(one, 'POST', '/remove', { voterId: 99 });
    expect(errorOf(again)).toEqual([409, 'E_REFUSED', '99 is not a known voter']);
  });

  it('is a command where the voters do not send it to each other', async () => {
    members = await openMembers(['solo']);
    const { url } = await settled(members);
    const answered = await ask(members[0]!, 'POST', '/remove', { voterId: 'x', voterUrl: url });
    expect(errorOf(answered)).toEqual([409, 'E_REFUSED', 'x is not a member']);
  });

  it('of somebody unknown is refused', async () => {
    const one = await openDraw([1, 2]);
    const answered = await ask(one, 'POST', '/remove', { voterId: 2, voterUrl: 'http://127.0.0.1:1' });
    expect([answered.status, answered.json.error.code]).toEqual([403, 'E_UNKNOWN_MEMBER']);
  });
});

describe('a body', () => {
  it('that is not JSON gets 400', async () => {
    const one = await openDraw();
    const answered = await ask(one, 'POST', '/register', '{"voterId":');
    expect([answered.status, answered.json.error.code]).toEqual([400, 'E_NOT_JSON']);
    const binary = await ask(one, 'POST', '/register', Buffer.from([0x22, 0xff, 0xfe, 0x22]));
    expect([binary.status, binary.json.error.code]).toEqual([400, 'E_NOT_JSON']);
    expect(one.refusals['not-json']).toBe(2);
  });

  it.each([['text/plain'], ['application/x-www-form-urlencoded'], ['application/jsonp'], ['']])(
    'of the type %j gets 415',
    async (type) => {
      const answered = await ask(await openDraw(), 'POST', '/register', '{}', { 'content-type': type });
      expect([answered.status, answered.json.error.code]).toEqual([415, 'E_MEDIA_TYPE']);
    },
  );

  it('may say its charset, or be a kind of JSON', async () => {
    const one = await openDraw();
    for (const type of [
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'application/vnd.voter+json',
    ]) {
      expect((await ask(one, 'POST', '/register', '{}', { 'content-type': type })).status).toBe(400);
    }
  });

  it('that says it is too large gets 413 before it is sent', async () => {
    const one = await openDraw();
    const answered = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': 256 * 1024 + 1 };
      const request = http.request(`${one.url}/register`, { method: 'POST', agent: false, headers }, resolve);
      request.on('error', reject);
      request.flushHeaders();
    });
    answered.resume();
    expect(answered.statusCode).toBe(413);
    expect(one.refusals['too-large']).toBe(1);
  });

  it('that turns out too large gets 413, whoever sends it how', async () => {
    const one = await openDraw();
    const answered = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const request = http.request(
        `${one.url}/register`,
        { method: 'POST', agent: false, headers },
        (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => {
            text += chunk.toString();
          });
          response.on('end', () => resolve({ status: response.statusCode!, text }));
        },
      );
      request.on('error', reject);
      request.write(Buffer.alloc(200 * 1024, 0x20));
      request.write(Buffer.alloc(100 * 1024, 0x20));
    });
    expect(answered.status).toBe(413);
    expect(JSON.parse(answered.text).error.code).toBe('E_TOO_LARGE');
  });

  it('of exactly 256 KiB is read', async () => {
    const padding = ' '.repeat(256 * 1024 - 2);
    expect((await ask(await openDraw(), 'POST', '/register', `{}${padding}`)).status).toBe(400);
  });

  it('that is cut short harms nobody', async () => {
    const one = await openDraw();
    const port = Number(new URL(one.url).port);
    await new Promise<void>((resolve) => {
      const socket = net.connect(port, '127.0.0.1', () => {
        socket.write(
          'POST /register HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{',
        );
        socket.end();
      });
      socket.on('close', () => resolve());
      socket.resume();
    });
    expect((await ask(one, 'GET', '/liveness')).status).toBe(200);
  });
});
