/** Links between members that share a secret: real sockets, and what stands between them. */
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Initiator, Opener, readSecrets, Sealer, Secrets, type Session } from '../../src/auth/index.ts';
import { encodeHello } from '../../src/member/links/frames.ts';
import type { LinkOptions } from '../../src/member/links/index.ts';
import { cleanUp, start } from '../support/link-bed.ts';
import { count, introduce, type Linked, numbers, until } from '../support/linked.ts';

const OLD = 'the-old-secret-of-a-test';
const NEW = 'the-new-secret-of-a-test';
/** How long a connection has to prove itself again. */
/** A busy machine stalls for a second now and then. */
const HELLO_MS = 3000;
const FAST: LinkOptions = {
  helloMs: HELLO_MS,
  pingMs: 50,
  backOffMs: [1, 10],
  redialMs: 1,
  yieldMs: 1,
  refusedBackOffMs: 50,
};

const holding = (...texts: string[]): Secrets => new Secrets(readSecrets(texts, 'secret'));

interface Member extends Linked {
  readonly secrets: Secrets;
}

async function member(id: number, ...texts: string[]): Promise<Member> {
  const secrets = holding(...texts);
  return { ...(await start(id, { ...FAST, secrets })), secrets };
}

const change = (of: Member, ...texts: string[]): boolean => of.secrets.replace(readSecrets(texts, 'secret'));
const isUp = (members: readonly Linked[]): boolean =>
  members.every(({ links }) => links.status.every(({ via }) => via === 'link'));

/** A process that has the secret, and sends what it likes. */
class Rogue {
  readonly ws: WebSocket;
  readonly frames: (string | Buffer)[] = [];
  sealer: Sealer | null = null;
  opener: Opener | null = null;

  constructor(url: string) {
    this.ws = new WebSocket(`${url.replace('http', 'ws')}/link`);
    this.ws.on('error', () => {});
    this.ws.on('message', (data: Buffer, isBinary) => this.frames.push(isBinary ? data : data.toString()));
    cleanUp(async () => this.ws.terminate());
  }

  async next(): Promise<string> {
    await until('a frame', () => this.frames.length > 0);
    return String(this.frames.shift());
  }

  async prove(from: number, to: number, text: string): Promise<Session> {
    const initiator = new Initiator(
      { cluster: 'test', from, to },
      readSecrets(text, 'secret'),
      Buffer.alloc(32, from),
    );
    await once(this.ws, 'open');
    this.ws.send(initiator.first());
    const step = initiator.take(await this.next());
    if (step.type !== 'say') throw new Error('refused');
    this.ws.send(step.frame);
    const last = initiator.take(await this.next());
    if (last.type !== 'proven') throw new Error(`refused: ${JSON.stringify(last)}`);
    this.sealer = new Sealer(last.session.sendKey);
    this.opener = new Opener(last.session.receiveKey);
    return last.session;
  }

  hello(id: number, more: object = {}): Buffer {
    const identity = { cluster: 'test', incarnation: 1, life: 'r', url: 'http://127.0.0.1:9', process: null };
    return this.sealer!.seal(0, encodeHello({ id, ...identity, ...more }));
  }

  async closed(): Promise<void> {
    await until('closed', () => this.ws.readyState === WebSocket.CLOSED);
  }
}

describe('members with the same secret', () => {
  it('connect, and hear each other in order', async () => {
    const members = [await member(1, OLD), await member(2, OLD)];
    introduce(members);
    await until('up', () => isUp(members));
    for (let i = 0; i < 100; i++) members[0]!.links.send(2, 'main', count(i, 1000));
    await until('all came', () => members[1]!.heard.length === 100);
    expect(numbers(members[1]!)).toEqual(Array.from({ length: 100 }, (_, i) => i));
    await until('a ping was answered', () => members[0]!.status(2).roundTripMs !== null);
    expect(members.flatMap(({ refused }) => refused)).toEqual([]);
  });

  it('read lists of messages, and refuse one that is too long without an end of the connection', async () => {
    const one = await member(1, OLD);
    const rogue = new Rogue(one.url);
    one.links.setPeers([{ id: 2, url: 'http://127.0.0.1:9' }]);
    await rogue.prove(2, 1, OLD);
    rogue.ws.send(rogue.hello(2));
    await until('up', () => one.events.length === 1);
    const lists = [257, 256].map(
      (n) => `[${Array.from({ length: n }, (_, i) => JSON.stringify(['e', count(i)])).join()}]`,
    );
    for (const list of lists) rogue.ws.send(rogue.sealer!.seal(0, list));
    await until('all came', () => one.heard.length === 256);
    expect(one.refused.map(({ reason }) => reason)).toEqual([
      'frame: expected at most 256 messages, found 257',
    ]);
  });

  it('carry as large a message as without', async () => {
    const members = [await member(1, OLD), await member(2, OLD)];
    introduce(members);
    await until('up', () => isUp(members));
    const overhead = JSON.stringify(['main', count(1, 1)]).length - 1;
    members[0]!.links.send(2, 'main', count(1, 512 * 1024 - overhead));
    await until('it came', () => members[1]!.heard.length === 1);
  });
});

describe('members with different secrets', () => {
  it('refuse each other, and each says whom it refuses and what to do', async () => {
    const members = [await member(1, OLD), await member(2, NEW)];
    introduce(members);
    await until('both were refused', () => members.every(({ refused }) => refused.length > 0));
    for (const { refused, events } of members) {
      expect(events).toEqual([]);
      expect(refused[0]).toMatchObject({ kind: 'wrong-secret' });
      expect(refused[0]!.reason).toMatch(
        /member [12] has another secret than this member; give all members the same secret/,
      );
    }
  });

  it('connect once they have the same, at once', async () => {
    const members = [await member(1, OLD), await member(2, NEW)];
    introduce(members);
    await until('refused', () => members.some(({ refused }) => refused.length > 0));
    change(members[1]!, OLD);
    await until('up', () => isUp(members));
  });
});

describe('one member with a secret and one without', () => {
  it.each([
    [1, 2],
    [2, 1],
  ])('refuse each other, and each says what to do (the secret is at %d)', async (withSecret, without) => {
    const one = await member(withSecret, OLD);
    const other = await start(without, FAST);
    introduce([one, other]);
    await until('both tell', () => one.refused.length > 0 && other.refused.length > 0);
    const [told, toldOther] = [one.refused[0]!, other.refused[0]!];
    expect([told.kind, toldOther.kind]).toEqual(['unauthenticated', 'unauthenticated']);
    expect(told.reason).toMatch(
      new RegExp(`member ${without} does not prove .* give all members the same secret`),
    );
    expect(toldOther.reason).toMatch(
      /secret.*; give all members the same secret \(secretFile, --secret-file\)/,
    );
    expect([one.events, other.events]).toEqual([[], []]);
  });

  it('tell nothing of a process that has a secret', async () => {
    const one = await member(1, OLD);
    one.links.setPeers([{ id: 2, url: 'http://127.0.0.1:9' }]);
    const rogue = new Rogue(one.url);
    await once(rogue.ws, 'open');
    rogue.ws.send(encodeHello({ ...one.identity, id: 2, life: 'x' }));
    const answer = await rogue.next();
    expect(JSON.parse(answer).refused).toBe('unauthenticated');
    for (const told of [one.identity.life, one.url, String(one.identity.incarnation)])
      expect(answer).not.toContain(told);
    await rogue.closed();
  });
});

describe('a rotation', () => {
  it('old, both, both the other way round, new: no connection is lost, and the old secret is of no use', async () => {
    const members = [await member(1, OLD), await member(2, OLD), await member(3, OLD)];
    introduce(members);
    await until('up', () => isUp(members));
    for (const stage of [[OLD, NEW], [NEW, OLD], [NEW]]) {
      for (const each of members) {
        change(each, ...stage);
        for (const from of members)
          for (const { id } of members) if (id !== from.id) from.links.send(id, 'main', count(1));
      }
    }
    const sent = 3 * 3 * 2;
    await until('all was heard', () => members.every(({ heard }) => heard.length === sent));
    for (const { events, refused } of members) {
      expect(events.filter((event) => event.startsWith('down'))).toEqual([]);
      expect(refused).toEqual([]);
    }
    // Those that had not proven themselves again by the new secret would be closed by now.
    await delay(HELLO_MS + 500);
    expect(members.flatMap(({ events }) => events.filter((event) => event.startsWith('down')))).toEqual([]);
    const rogue = new Rogue(members[0]!.url);
    await expect(rogue.prove(2, 1, OLD)).rejects.toThrow('wrong-secret');
  });

  it('closes the connection of a process that has only the old secret', async () => {
    const secrets = holding(OLD);
    const again = await start(1, { ...FAST, helloMs: 200, secrets });
    again.links.setPeers([{ id: 2, url: 'http://127.0.0.1:9' }]);
    const rogue = new Rogue(again.url);
    await rogue.prove(2, 1, OLD);
    rogue.ws.send(rogue.hello(2));
    await until('up', () => again.events.length === 1);
    secrets.replace(readSecrets(NEW, 'secret'));
    await rogue.closed();
    await until('told', () => again.refused.some(({ kind }) => kind === 'wrong-secret'));
    expect(again.events[1]).toMatch(/^down 2 .*did not prove itself again/);
  });
});

describe('a process with the secret', () => {
  const SECOND = JSON.stringify(['main', count(2)]);

  it('is only the member that it has proven to be', async () => {
    const one = await member(1, OLD);
    one.links.setPeers([2, 3].map((id) => ({ id, url: 'http://127.0.0.1:9' })));
    const rogue = new Rogue(one.url);
    await rogue.prove(2, 1, OLD);
    rogue.ws.send(rogue.hello(3));
    await rogue.closed();
    expect(one.events).toEqual([]);
    expect(one.refused[0]).toMatchObject({ kind: 'unauthenticated' });
    expect(one.refused[0]!.reason).toContain('it has proven that it is member 2, and says that it is 3');
  });

  it.each([
    [
      'repeats a frame',
      (rogue: Rogue) => {
        const frame = rogue.sealer!.seal(0, JSON.stringify(['main', count(1)]));
        return [frame, frame];
      },
    ],
    [
      'leaves a frame out',
      (rogue: Rogue) => {
        rogue.sealer!.seal(0, 'lost');
        return [rogue.sealer!.seal(0, SECOND)];
      },
    ],
    ['sends a frame that is not sealed', () => [SECOND]],
    ['sends a binary frame that is not sealed', () => [Buffer.from(SECOND)]],
    ['switches keys', (rogue: Rogue) => [rogue.sealer!.seal(4, '')]],
    ['sends a kind that does not exist', (rogue: Rogue) => [rogue.sealer!.seal(9, '')]],
  ])('is cut off if it %s', async (_what, frames) => {
    const one = await member(1, OLD);
    one.links.setPeers([{ id: 2, url: 'http://127.0.0.1:9' }]);
    const rogue = new Rogue(one.url);
    await rogue.prove(2, 1, OLD);
    rogue.ws.send(rogue.hello(2));
    await until('up', () => one.events.length === 1);
    for (const frame of frames(rogue)) rogue.ws.send(frame);
    await rogue.closed();
    await until('down', () => one.events.length === 2);
    expect(one.refused.map(({ kind }) => kind)).toEqual(['bad-seal']);
    expect(numbers(one).filter((i) => i === 2)).toEqual([]);
    expect(one.heard.length).toBeLessThanOrEqual(1);
  });

  it('cannot send its own frames back to a member', async () => {
    const one = await member(1, OLD);
    one.links.setPeers([{ id: 2, url: 'http://127.0.0.1:9' }]);
    const rogue = new Rogue(one.url);
    await rogue.prove(2, 1, OLD);
    rogue.ws.send(rogue.hello(2));
    await until('a sealed frame', () => rogue.frames.length > 0);
    rogue.ws.send(rogue.frames[0]!);
    await rogue.closed();
    await until('told', () => one.refused.length === 1);
    expect(one.refused[0]!.kind).toBe('bad-seal');
  });
});

describe('connections that prove nothing', () => {
  it.each([
    ['a secret', [OLD]],
    ['none, and do not say who they are', null],
  ])(
    'are bounded in number, where members have %s: one gives way, and members still connect',
    async (_, list) => {
      const secrets = list === null ? null : holding(...list);
      const one = await start(1, { ...FAST, helloMs: 60_000, strangers: 5, secrets });
      const rogues = Array.from({ length: 20 }, () => new Rogue(one.url));
      await until('only so many are left', () => {
        const left = rogues.filter(({ ws }) => ws.readyState === WebSocket.OPEN).length;
        const over = rogues.filter(({ ws }) => ws.readyState === WebSocket.CLOSED).length;
        return left === 5 && over === 15;
      });
      expect(one.refused.map(({ kind }) => kind)).toEqual(Array(15).fill('unauthenticated'));
      const two = await start(2, { ...FAST, secrets });
      // Only member 2 dials.
      one.links.setPeers([{ id: 2, url: 'http://127.0.0.1:9' }]);
      two.links.setPeers([{ id: 1, url: one.url }]);
      await until('up', () => isUp([two]));
    },
  );

  it('are bounded in time', async () => {
    const one = await start(1, { ...FAST, helloMs: 50, secrets: holding(OLD) });
    const rogue = new Rogue(one.url);
    await once(rogue.ws, 'open');
    await rogue.closed();
    expect(rogue.frames).toEqual([]);
  });
});

describe('what stands between two members', () => {
  /** Passes everything on, and keeps what the side that dialled has sent. */
  async function startSniffer(url: string): Promise<{ url: string; kept: Buffer[] }> {
    const kept: Buffer[] = [];
    const { hostname, port } = new URL(url);
    const server = net.createServer((near) => {
      const far = net.connect(Number(port), hostname);
      near.on('data', (data) => kept.push(data));
      near.on('error', () => far.destroy());
      far.on('error', () => near.destroy());
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp(async () => void server.close());
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, kept };
  }

  it('reads nothing of what they say, and can replay nothing', async () => {
    const [one, two] = [await member(1, OLD), await member(2, OLD)];
    const sniffer = await startSniffer(two.url);
    one.links.setPeers([{ id: 2, url: sniffer.url }]);
    two.links.setPeers([{ id: 1, url: 'http://127.0.0.1:9' }]);
    await until('up', () => isUp([one]) && isUp([two]));
    one.links.send(2, 'main', count(7));
    await until('it came', () => numbers(two).includes(7));
    const capture = unmasked(Buffer.concat(sniffer.kept));
    expect(capture).toContain('"prove":1');
    for (const word of ['count', one.identity.life, one.identity.url]) expect(capture).not.toContain(word);
    await one.stop();
    await until('down', () => two.events.length === 2);
    const { hostname, port } = new URL(two.url);
    const again = net.connect(Number(port), hostname);
    again.on('error', () => {}).resume();
    again.write(Buffer.concat(sniffer.kept));
    await once(again, 'close');
    expect(two.refused.map(({ kind }) => kind)).toEqual(['wrong-secret']);
    expect([two.events.length, numbers(two)]).toEqual([2, [7]]);
  });

  /** The frames that a client sends are masked (RFC 6455), each by a key of its own that precedes it. */
  function unmasked(bytes: Buffer): string {
    let at = bytes.indexOf('\r\n\r\n') + 4;
    let text = '';
    while (at < bytes.length) {
      const short = bytes[at + 1]! & 0x7f;
      const extra = short === 126 ? 2 : short === 127 ? 8 : 0;
      const length =
        extra === 0 ? short : extra === 2 ? bytes.readUInt16BE(at + 2) : bytes.readUInt32BE(at + 6);
      const mask = bytes.subarray(at + 2 + extra, at + 6 + extra);
      const body = bytes.subarray(at + 6 + extra, at + 6 + extra + length);
      text += Buffer.from(body.map((byte, i) => byte ^ mask[i % 4]!)).toString('latin1');
      at += 6 + extra + length;
    }
    return text;
  }
});
