/** What others can make a member do, and how often; and what it does where its surroundings fail. */
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type AnyJoinOptions, join, type Member } from '../../src/member/index.ts';
import { isolate } from '../../src/member/isolate.ts';
import { encodeHello } from '../../src/member/links/frames.ts';
import { makeFolder } from '../../src/member/make-folder.ts';
import { ask } from '../api/test-member.ts';
import { until } from '../support/linked.ts';

let folder: string;
let members: Member[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-bounds-'));
});

afterEach(async () => {
  await Promise.all(members.map((member) => member.close()));
  members = [];
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: AnyJoinOptions): Promise<Member> {
  const member = await join({ id: 'a', ...options });
  members.push(member);
  return member;
}

async function stop(member: Member): Promise<void> {
  members = members.filter((each) => each !== member);
  await member.close();
}

const DRAW = { protocol: 'draw', timing: { heartbeatMs: 200, timeoutMs: [10, 20] } } as const;

const registers = (member: Member, voterId: string, voterUrl: string): Promise<number> =>
  ask(member, 'POST', '/register', { voterId, voterUrl }).then(({ status }) => status);

const namesOf = (member: Member): string[] => member.voters.map(({ id, url }) => `${id} ${url}`).slice(1);

describe('voters that make themselves known', () => {
  it('cannot say that a configured voter is elsewhere, nor can what was kept of an earlier start', async () => {
    const first = await start({ ...DRAW, data: folder });
    expect(await registers(first, 'b', 'http://127.0.0.1:9')).toBe(200);
    await stop(first);
    const again = await start({ ...DRAW, data: folder });
    expect(namesOf(again)).toEqual(['b http://127.0.0.1:9']);
    await stop(again);
    const peers = [{ id: 'b', url: 'http://127.0.0.1:8' }];
    const configured = await start({ ...DRAW, data: folder, peers });
    expect(await registers(configured, 'b', 'http://127.0.0.1:7')).toBe(403);
    expect(await registers(configured, 'b', 'http://127.0.0.1:8/')).toBe(200);
    expect(namesOf(configured)).toEqual(['b http://127.0.0.1:8']);
  });

  it('are forgotten where the protocol knows of no such thing', async () => {
    const first = await start({ ...DRAW, data: folder });
    await registers(first, 'b', 'http://127.0.0.1:9');
    await stop(first);
    rmSync(path.join(folder, 'election-main.json'), { force: true });
    expect(namesOf(await start({ data: folder }))).toEqual([]);
  });

  it('are not more than so many, and who cannot be reached makes room', async () => {
    const member = await start({ ...DRAW, limits: { voters: 2 } });
    await registers(member, 'b', 'http://127.0.0.1:9');
    const peer = new WebSocket(`${member.url.replace('http', 'ws')}/link`);
    await once(peer, 'open');
    peer.send(
      encodeHello({
        id: 'b',
        cluster: 'caucus',
        incarnation: 1,
        life: 'b-1',
        url: 'http://127.0.0.1:9',
        process: null,
      }),
    );
    await once(peer, 'message');
    for (const id of ['c', 'd', 'e']) expect(await registers(member, id, 'http://127.0.0.1:9')).toBe(200);
    expect(namesOf(member)).toEqual(['b http://127.0.0.1:9', 'e http://127.0.0.1:9']);
    peer.terminate();
    await until('b is gone', () => member.links.every(({ via }) => via === 'none'));
    expect(await registers(member, 'f', 'http://127.0.0.1:9')).toBe(200);
    expect(namesOf(member)).toEqual(['e http://127.0.0.1:9', 'f http://127.0.0.1:9']);
  });
});

describe('elections that others open', () => {
  /** Over a connection of the member b. */
  async function connected(member: Member): Promise<WebSocket> {
    const peer = new WebSocket(`${member.url.replace('http', 'ws')}/link`);
    await once(peer, 'open');
    const identity = {
      cluster: 'caucus',
      incarnation: 1,
      life: 'b-1',
      url: 'http://127.0.0.1:9',
      process: null,
    };
    peer.send(encodeHello({ id: 'b', ...identity }));
    await once(peer, 'message');
    return peer;
  }
  const beat = { role: 'follower', leader: null, term: 0, election: 0, knownVoters: ['b'], offline: [] };

  it('are fewer than the program itself may open', async () => {
    const log: string[] = [];
    const limits = { electionsOfOthers: 2 };
    const member = await start({ ...DRAW, limits, log: ({ message }) => log.push(message) });
    await registers(member, 'b', 'http://127.0.0.1:9');
    const peer = await connected(member);
    const hear = async (name: string): Promise<boolean> => {
      peer.send(JSON.stringify([name, { type: 'heartbeat', ...beat }]));
      peer.ping();
      await once(peer, 'pong');
      return member.elections.some((election) => election.name === name);
    };
    expect([await hear('x1'), await hear('x2')]).toEqual([true, true]);
    expect([await hear('x3'), await hear('x4')]).toEqual([false, false]);
    expect(log.filter((line) => line.includes('limits.electionsOfOthers'))).toHaveLength(1);
    member.election('x1');
    expect(await hear('x3')).toBe(true);
    expect(() => member.election('x5')).not.toThrow();
    peer.terminate();
  });

  it('are not opened by a message that comes by POST', async () => {
    const member = await start(DRAW);
    await registers(member, 'b', 'http://127.0.0.1:9');
    const { status } = await ask(member, 'POST', '/elections/x1/heartbeat', { voterId: 'b', ...beat });
    expect(status).toBe(404);
    expect(member.elections).toEqual([]);
  });

  it('are a few where a request opens them, so that there is room for those of other members', async () => {
    const member = await start({ protocol: 'bully', limits: { electionsOfOthers: 20 } });
    const opens = async (name: string): Promise<number> =>
      (await ask(member, 'POST', `/elections/${name}/election/start`)).status;
    expect([await opens('x1'), await opens('x2'), await opens('x3')]).toEqual([200, 200, 503]);
  });

  it('are not opened by a command that is refused', async () => {
    const member = await start({});
    const { status } = await ask(member, 'POST', '/elections/x1/election/start');
    expect(status).toBe(404);
    expect(member.elections).toEqual([]);
  });
});

describe('a folder', () => {
  it('is meant from where the program was when it joined', async () => {
    const before = process.cwd();
    const elsewhere = path.join(folder, 'elsewhere');
    mkdirSync(elsewhere);
    try {
      process.chdir(folder);
      const member = await start({ data: 'data', record: 'recordings' });
      process.chdir(elsewhere);
      member
        .election('second')
        .close()
        .catch(() => {});
      await stop(member);
    } finally {
      process.chdir(before);
    }
    expect(readdirSync(path.join(folder, 'recordings')).sort()).toEqual(['a~main.ndjson', 'a~second.ndjson']);
    expect(existsSync(path.join(folder, 'data', 'election-main.json'))).toBe(true);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it('that cannot be made is said so, and waits for nothing', async () => {
    makeFolder(path.join(folder, 'one', 'two'));
    expect(existsSync(path.join(folder, 'one', 'two'))).toBe(true);
    makeFolder(path.join(folder, 'one', 'two'));
    writeFileSync(path.join(folder, 'file'), '');
    expect(() => makeFolder(path.join(folder, 'file'))).toThrow(/file is not a folder$/);
    expect(() => makeFolder(path.join(folder, 'file', 'two'))).toThrow(/ENOTDIR|EEXIST/);
    if (process.platform !== 'linux') return;
    await expect(start({ data: '/proc/nope/deeper' })).rejects.toMatchObject({ code: 'E_STORE_UNUSABLE' });
  });

  it('whose record is damaged is not tried again', async () => {
    const member = await start({ data: folder });
    const file = path.join(folder, 'election-x.json');
    writeFileSync(file, 'damaged');
    expect(() => member.election('x')).toThrow(expect.objectContaining({ code: 'E_STORE_CORRUPT' }));
    rmSync(file);
    expect(() => member.election('x')).toThrow(expect.objectContaining({ code: 'E_STORE_CORRUPT' }));
    expect(member.illness).toContain('election-x.json');
  });

  it('that is a folder where a record should be is tried again', async () => {
    const member = await start({ data: folder });
    const file = path.join(folder, 'election-x.json');
    mkdirSync(file);
    expect(() => member.election('x')).toThrow(expect.objectContaining({ code: 'E_STORE_UNUSABLE' }));
    rmSync(file, { recursive: true });
    expect(() => member.election('x')).not.toThrow();
  });
});

describe('what a user gave us', () => {
  /** Errors that would otherwise end the process, as they should. */
  async function uncaught(work: () => Promise<void>): Promise<unknown[]> {
    const errors: unknown[] = [];
    const listeners = process.rawListeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', (error) => errors.push(error));
    try {
      await work();
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const listener of listeners) process.on('uncaughtException', listener as (error: Error) => void);
    }
    return errors;
  }

  it('may throw: it is told so by itself, and nothing else is held up', async () => {
    const errors = await uncaught(async () => {
      const seen: string[] = [];
      isolate(() => {
        throw new Error('alone');
      });
      isolate(() => seen.push('next'));
      expect(seen).toEqual(['next']);
    });
    expect(errors).toEqual([new Error('alone')]);
  });

  it('keeps no lead from whom it was won', async () => {
    const errors = await uncaught(async () => {
      const member = await start({
        log: () => {
          throw new Error('no log');
        },
      });
      member.subscribe(() => {
        throw new Error('no member');
      });
      member.electionPort('main').subscribe(() => {
        throw new Error('no election');
      });
      const leadership = await member.election().campaign();
      expect(leadership.isValid()).toBe(true);
      await leadership.resign();
      await stop(member);
    });
    expect(errors).toContainEqual(new Error('no log'));
    expect(errors).toContainEqual(new Error('no member'));
    expect(errors).toContainEqual(new Error('no election'));
  });
});

describe('a member on the loopback', () => {
  const status = async (member: Member, host: string): Promise<number> =>
    (await ask(member, 'GET', '/status', undefined, { host })).status;

  it('answers questions under names that lead here, and to no page that had its own name lead here', async () => {
    const peers = [{ id: 'b', url: 'http://node-b.example:7101' }];
    const member = await start({ peers, hosts: ['caucus.example'] });
    for (const host of [
      '127.0.0.1:1',
      'localhost',
      '[::1]:7101',
      '10.0.0.1',
      'a.localhost',
      'caucus.example:80',
    ])
      expect([host, await status(member, host)]).toEqual([host, 200]);
    expect(await status(member, 'node-b.example')).toBe(200);
    for (const host of ['evil.example', '127.0.0.1.evil.example', 'b@d host'])
      expect([host, await status(member, host)]).toEqual([host, 403]);
  });

  it('answers probes that send no name', async () => {
    const member = await start({});
    const { hostname, port } = new URL(member.url);
    const probe = net.connect(Number(port), hostname);
    probe.write('HEAD /liveness HTTP/1.0\r\n\r\n');
    const [answer] = (await once(probe, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
    probe.destroy();
  });

  it('says that it listens elsewhere than the others are told', async () => {
    const log: string[] = [];
    const member = await start({
      url: 'http://127.0.0.1:7109',
      listen: { port: 0 },
      log: ({ message }) => log.push(message),
    });
    expect(log.join()).toMatch(
      /listens on 127\.0\.0\.1:\d+, but the others are told http:\/\/127\.0\.0\.1:7109/,
    );
    await stop(member);
    log.length = 0;
    await start({ log: ({ message }) => log.push(message) });
    expect(log.join()).not.toContain('listens on');
  });
});

describe('a seed', () => {
  it('sends no voter elsewhere, and has little to say', async () => {
    const server = http.createServer((request, response) => {
      if (request.url === '/long/register') response.end(`"${'x'.repeat(300_000)}"`);
      else response.writeHead(307, { location: '/long/register' }).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as { port: number };
    for (const [url, complaint] of [
      ['/', 'it answered 307'],
      ['/long', 'too large'],
    ] as const) {
      const told = await new Promise<string>((resolve) => {
        const log = ({ message }: { message: string }): void => {
          if (message.includes('does not register')) resolve(message);
        };
        void start({ protocol: 'draw', listen: { port: 0 }, seed: { host: `127.0.0.1:${port}`, url }, log });
      });
      expect(told).toContain(complaint);
    }
    server.closeAllConnections();
    server.close();
  });
});
