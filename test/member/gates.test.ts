/** Who is let in, under which name, and what the texts of others may do to those who read them. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { voterUrl } from '../../src/api/index.ts';
import { takesGzip } from '../../src/api/page.ts';
import { columnLines } from '../../src/cli/commands/ask/columns.ts';
import { EngineMember } from '../../src/cli/commands/node/engine-member.ts';
import { harmless } from '../../src/cli/input/refusal.ts';
import { openEngine } from '../../src/engines/open.ts';
import { type AnyJoinOptions, join, type Member } from '../../src/member/index.ts';
import { encodeHello, readFrame } from '../../src/member/links/frames.ts';
import { freePorts } from '../support/free-ports.ts';

const running: (() => unknown)[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((stop) => stop()));
});

async function status(port: number, path: string, host: string, address = '127.0.0.1'): Promise<number> {
  const socket = connect(port, address);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return Number(/^HTTP\/1\.1 (\d+)/.exec(String(answer))![1]);
}

/** A member on a server of the test's own, which listens on all addresses. */
async function mount(options: AnyJoinOptions): Promise<{ member: Member; port: number }> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  const member = await join({ id: 1, mounted: true, url: `http://127.0.0.1:${port}`, ...options });
  server.on('request', member.handler);
  server.on('upgrade', (request, socket, head) => {
    if (!member.handleUpgrade(request, socket, head)) socket.destroy();
  });
  running.push(async () => {
    await member.close();
    server.closeAllConnections();
    server.close();
  });
  return { member, port };
}

const elsewhere = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address;

describe('a mounted member', () => {
  it('needs insecure or a check of the caller where others reach it', async () => {
    const url = 'http://node.example:7101';
    await expect(join({ id: 1, mounted: true, url })).rejects.toThrow(/url: expected a loopback address/);
    for (const given of [{ insecure: true }, { allow: () => false }]) {
      const member = await join({ id: 1, mounted: true, url, ...given });
      await member.close();
    }
  });

  it('answers under names that lead here', async () => {
    const { port } = await mount({});
    expect(await status(port, '/status', 'evil.example')).toBe(403);
    expect(await status(port, '/status', `127.0.0.1:${port}`)).toBe(200);
  });

  it.runIf(elsewhere !== undefined)('is not reached by an address of the network', async () => {
    const { port } = await mount({});
    expect(await status(port, '/status', 'localhost', elsewhere)).toBe(403);
    expect(await status(port, '/liveness', 'localhost')).toBe(200);
    const open = await mount({ insecure: true });
    expect(await status(open.port, '/status', 'localhost', elsewhere)).toBe(200);
  });

  it('asks the check of the caller, also for connections', async () => {
    const { port } = await mount({ allow: ({ headers }) => headers['x-key'] === 'yes' });
    expect(await status(port, '/status', 'localhost')).toBe(403);
    expect(await status(port, '/status', 'localhost\r\nx-key: yes')).toBe(200);
    const upgrade =
      'localhost\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==';
    expect(await status(port, '/link', upgrade.replace('\r\nupgrade', '\r\nx-a: b\r\nupgrade'))).toBe(403);
  });
});

describe('a member that is not told where to listen', () => {
  it('listens where its URL says', async () => {
    const [port] = await freePorts(1);
    const url = `http://127.0.0.1:${port}`;
    const member = await join({ id: 'a', peers: [{ id: 'a', url }] });
    running.push(() => member.close());
    expect(member.url).toBe(url);
    expect(await status(port!, '/liveness', 'localhost')).toBe(200);
  });

  it.each([[{ url: 'http://192.0.2.1:7501' }], [{ peers: [{ id: 'a', url: 'http://192.0.2.1:7501' }] }]])(
    'is refused if that is not on the loopback: %j',
    async (options) => {
      await expect(join({ id: 'a', ...options })).rejects.toThrow(
        /^listen: expected an address, and certificates .*insecure: true, since http:\/\/192\.0\.2\.1:7501 is not on the loopback/,
      );
    },
  );
});

describe('a participant in elections on a store', () => {
  it('answers under names that lead here', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'caucus-gates-'));
    const engine = await openEngine(`local:${folder}`, { name: 'a' });
    const member = new EngineMember(engine, 'main', 'here');
    running.push(async () => {
      await member.close();
      rmSync(folder, { recursive: true, force: true });
    });
    await member.listen('127.0.0.1', 0);
    const port = Number(new URL(member.url).port);
    expect(await status(port, '/status', 'evil.example')).toBe(403);
    expect(await status(port, '/status', 'localhost')).toBe(200);
  });
});

describe('the URL of a voter', () => {
  it.each([
    'http://127.0.0.1:7101/admin/shutdown?',
    'http://127.0.0.1:7101/#',
    'http://:pw@127.0.0.1',
    'http://u@127.0.0.1',
    'http:\\\\127.0.0.1:7101',
    'http://127.0.0.1/a?b#c',
    'ftp://127.0.0.1',
  ])('is not %s', (text) => {
    expect(() => voterUrl.read(text, 'voterUrl')).toThrow(/expected a URL/);
  });

  it('is kept as it is called', () => {
    expect(voterUrl.read('http://127.0.0.1:7101/', '')).toBe('http://127.0.0.1:7101');
    expect(voterUrl.read('HTTP://Node-B.example:7101/caucus//', '')).toBe(
      'http://node-b.example:7101/caucus',
    );
    expect(voterUrl.read('http://127.0.0.1:7101/a\tb', '')).toBe('http://127.0.0.1:7101/ab');
  });
});

describe('a header of a page', () => {
  it('costs nothing, however long it is', () => {
    const startMs = performance.now();
    for (let i = 0; i < 20; i++) takesGzip(`a${' '.repeat(15_500)}b`);
    expect(performance.now() - startMs).toBeLessThan(500);
  });

  it.each([
    ['gzip', true],
    ['br, gzip;q=0.5', true],
    ['GZIP ; q = 1', true],
    ['gzip;q=0', false],
    ['gzip; q=0.0', false],
    ['br', false],
    [undefined, false],
  ])('%s', (header, isTaken) => {
    expect(takesGzip(header)).toBe(isTaken);
  });
});

describe('what others say of themselves', () => {
  const ESCAPE = '\u001b]0;owned\u0007\u009b31m';

  it('reaches no terminal as it is', () => {
    const lines = columnLines(['a', 'b'], [[`x${ESCAPE}`, 'y\nz']]).join('\n');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there.
    expect(lines).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(lines.split('\n')).toHaveLength(2);
    const json = harmless(JSON.stringify({ leader: ESCAPE }));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the same.
    expect(json).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    expect(JSON.parse(json)).toEqual({ leader: ESCAPE });
  });

  it.each(['url', 'cluster'])('is no hello with an escape sequence in its %s', (field) => {
    const identity = {
      id: 1,
      cluster: 'caucus',
      incarnation: 1,
      life: 'x',
      url: 'http://127.0.0.1:9',
      process: null,
    };
    expect(readFrame(encodeHello(identity)).type).toBe('hello');
    expect(readFrame(encodeHello({ ...identity, [field]: `a${ESCAPE}\n` })).type).toBe('bad');
  });
});
