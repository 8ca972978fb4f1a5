import http from 'node:http';
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ask, openMembers, settled, type TestMember, until } from './test-member.ts';

const DRAW = { protocol: 'draw', timing: { heartbeatMs: 20, timeoutMs: [20, 40] } };

let members: TestMember[] = [];
afterEach(async () => {
  for (const member of members) await member.close();
  members = [];
});

interface State {
  readonly electionName: string;
  readonly leader: unknown;
  readonly acting: boolean;
  readonly cause: string;
  readonly illness: string | null;
  readonly token: string | null;
}

/** A reader of server-sent events, as a browser has it. */
class Reader {
  readonly states: State[] = [];
  comments = 0;
  ended = false;
  readonly #wanted: (() => void)[] = [];
  readonly #request: http.ClientRequest;
  type: string | undefined;

  constructor(url: string) {
    this.#request = http.get(url, { agent: false }, (response) => {
      this.type = response.headers['content-type'];
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        const blocks = text.split('\n\n');
        text = blocks.pop()!;
        for (const block of blocks) this.#onBlock(block);
        this.#tell();
      });
      response.on('error', () => {});
      response.on('close', () => {
        this.ended = response.complete;
        this.#tell();
      });
    });
    this.#request.on('error', () => {});
  }

  #onBlock(block: string): void {
    if (block.startsWith(':')) this.comments += 1;
    const data = /^event: state\ndata: (.*)$/.exec(block)?.[1];
    if (data !== undefined) this.states.push(JSON.parse(data));
  }

  #tell(): void {
    for (const look of [...this.#wanted]) look();
  }

  until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (isSo()) resolve();
      };
      this.#wanted.push(look);
      look();
    });
  }

  close(): void {
    this.#request.destroy();
  }
}

async function openDraw(watchHeartbeatMs?: number): Promise<TestMember> {
  members = await openMembers([1, 2], watchHeartbeatMs === undefined ? DRAW : { ...DRAW, watchHeartbeatMs });
  return settled(members);
}

describe('GET /watch', () => {
  it('tells how it stands first, then every change', async () => {
    const leader = await openDraw();
    const reader = new Reader(`${leader.url}/watch`);
    await reader.until(() => reader.states.length === 1);
    expect(reader.type).toBe('text/event-stream; charset=utf-8');
    expect(reader.states[0]).toMatchObject({
      electionName: 'main',
      leader: leader.id,
      acting: true,
      cause: 'won',
    });
    await ask(leader, 'POST', '/resign');
    await reader.until(() => reader.states.length >= 2);
    expect(reader.states[1]).toMatchObject({ acting: false, leader: null, cause: 'resigned' });
    await reader.until(() => (reader.states.at(-1)?.leader ?? null) !== null);
    expect(Number(reader.states.at(-1)!.token)).toBeGreaterThan(Number(reader.states[0]!.token));
    reader.close();
  });

  it('says nothing twice', async () => {
    const leader = await openDraw();
    const told: (() => void)[] = [];
    const { main } = leader;
    main.subscribe = (listener) => {
      told.push(listener);
      return () => {};
    };
    const reader = new Reader(`${leader.url}/watch`);
    await reader.until(() => reader.states.length === 1);
    for (let i = 0; i < 3; i++) for (const listener of told) listener();
    leader.illness = 'the disk is full';
    leader.changed();
    await reader.until(() => reader.states.at(-1)?.illness !== null);
    expect(reader.states.length).toBe(2);
    reader.close();
  });

  it('is about one election', async () => {
    const leader = await openDraw();
    const reports = leader.electionPort('reports');
    await until(reports, () => reports.view.leader !== null);
    for (const path of ['/watch?election=reports', '/elections/reports/watch']) {
      const reader = new Reader(`${leader.url}${path}`);
      await reader.until(() => reader.states.length === 1);
      expect(reader.states[0]!.electionName).toBe('reports');
      reader.close();
    }
    expect((await ask(leader, 'GET', '/watch?election=unheard')).status).toBe(404);
  });

  it('shows that it is still there', async () => {
    const leader = await openDraw(5);
    const reader = new Reader(`${leader.url}/watch`);
    await reader.until(() => reader.comments >= 2);
    reader.close();
  });

  it('tells of an illness', async () => {
    const leader = await openDraw();
    const reader = new Reader(`${leader.url}/watch`);
    await reader.until(() => reader.states.length === 1);
    leader.illness = 'the disk is full';
    leader.changed();
    await reader.until(() => reader.states.at(-1)?.illness === 'the disk is full');
    reader.close();
  });

  it('leaves nothing behind when the reader goes', async () => {
    const leader = await openDraw();
    const before = leader.listeners;
    const reader = new Reader(`${leader.url}/watch`);
    await reader.until(() => reader.states.length === 1);
    expect(leader.listeners).toBe(before + 1);
    reader.close();
    let metrics = '';
    do metrics = (await ask(leader, 'GET', '/metrics')).text;
    while (!metrics.includes('caucus_watchers 0'));
    expect(leader.listeners).toBe(before);
  });

  it('ends when the member closes, and takes no reader after that', async () => {
    const leader = await openDraw();
    const reader = new Reader(`${leader.url}/watch`);
    await reader.until(() => reader.states.length === 1);
    members = members.filter((member) => member !== leader);
    await leader.close();
    await reader.until(() => reader.ended);
    expect(reader.states.at(-1)).toMatchObject({ acting: false, cause: 'closed' });
  });

  it('keeps only the newest state for a reader that does not read', async () => {
    const leader = await openDraw();
    const socket = net.connect(Number(new URL(leader.url).port), '127.0.0.1');
    socket.pause();
    socket.write('GET /watch HTTP/1.1\r\nhost: x\r\n\r\n');
    let metrics = '';
    do metrics = (await ask(leader, 'GET', '/metrics')).text;
    while (!metrics.includes('caucus_watchers 1'));
    // Far more than the kernel keeps for a socket.
    const rounds = 3000;
    for (let i = 0; i < rounds; i++) {
      leader.illness = `${i}:${'x'.repeat(10_000)}`;
      leader.changed();
    }
    leader.illness = 'the last word';
    leader.changed();
    let text = '';
    await new Promise<void>((resolve) => {
      socket.on('data', (chunk) => {
        text += chunk.toString();
        if (text.includes('the last word')) resolve();
      });
      socket.resume();
    });
    expect(text.match(/event: state/g)!.length).toBeLessThan(rounds);
    socket.destroy();
  });

  it('answers HEAD without a stream', async () => {
    const leader = await openDraw();
    const { status, text } = await ask(leader, 'HEAD', '/watch');
    expect([status, text]).toEqual([200, '']);
  });
});
