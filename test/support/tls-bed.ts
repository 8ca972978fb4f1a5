/** Members with certificates, clients with any certificate, and what each of them is told. Cleared away after each test. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { WebSocket } from 'ws';
import type { MemberId } from '../../src/core/index.ts';
import {
  type AnyJoinOptions,
  join,
  type LogEntry,
  type Member,
  type TlsOptions,
} from '../../src/member/index.ts';
import { freePorts } from './free-ports.ts';
import { until } from './linked.ts';
import { TestCa } from './test-ca.ts';

const closers: (() => Promise<unknown>)[] = [];
/** Until the end of the file. */
const kept: (() => Promise<unknown>)[] = [];
let ca: TestCa;
let other: TestCa;

beforeAll(async () => {
  [ca, other] = await Promise.all([TestCa.open('test CA'), TestCa.open('another CA')]);
});

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

afterAll(async () => {
  await Promise.all(kept.splice(0).map((close) => close()));
  ca.close();
  other.close();
});

/** The CA of the cluster, and one of which the cluster knows nothing. */
export function authorities(): { readonly ca: TestCa; readonly other: TestCa } {
  return { ca, other };
}

export function cleanUp(close: () => Promise<unknown>): void {
  closers.push(close);
}

/** What was started so far stays for all tests of the file. */
export function keepForAll(): void {
  kept.push(...closers.splice(0));
}

export interface Logged {
  readonly member: Member;
  readonly log: LogEntry[];
}

export async function start(options: AnyJoinOptions): Promise<Logged> {
  const log: LogEntry[] = [];
  const member = await join({ ...options, log: (entry) => void log.push(entry) });
  closers.push(() => member.close());
  return { member, log };
}

export function portOf({ url }: Pick<Member, 'url'>): number {
  return Number(new URL(url).port);
}

export async function urls(count: number): Promise<{ readonly id: number; readonly url: string }[]> {
  return (await freePorts(count)).map((port, i) => ({ id: i + 1, url: `https://127.0.0.1:${port}` }));
}

/** Members 1, 2 and 3, all of which stand; the first leader is there. */
export async function startThree(
  options: Partial<AnyJoinOptions> = {},
  tlsOf: (id: number) => Promise<TlsOptions> = (id) => ca.member(id),
): Promise<Logged[]> {
  const peers = await urls(3);
  const all = await Promise.all(
    peers.map(async ({ id }) => start({ id, peers, tls: await tlsOf(id), ...options })),
  );
  for (const { member } of all) member.seat().stand();
  await until('one leads', () => leaderOf(all) !== null && all.every(({ member }) => isLinked(member)));
  return all;
}

export function leaderOf(all: readonly Logged[]): { readonly id: MemberId; readonly token: bigint } | null {
  const acting = all.filter(({ member }) => member.electionPort(member.mainElection).acting);
  const [first] = acting;
  if (acting.length !== 1) return null;
  const { token } = first!.member.electionPort(first!.member.mainElection);
  return { id: first!.member.id, token: token! };
}

export function isLinked({ links }: Member): boolean {
  return links.every(({ via }) => via === 'link');
}

export interface Said {
  readonly status: number;
  readonly body: string;
  /** What a proof has to name, if one is needed. */
  readonly challenge?: string | undefined;
}

/** What a member says to a client that shows this, and does not check the member. */
export function ask(
  port: number,
  method: string,
  path: string,
  tls: ConnectionOptions & { readonly headers?: Record<string, string> } = {},
  body?: object,
): Promise<Said> {
  return new Promise((resolve, reject) => {
    const request = https.request(
      { host: '127.0.0.1', port, method, path, rejectUnauthorized: false, agent: false, ...tls },
      (response) => {
        const { statusCode, headers } = response;
        const said = { status: statusCode!, challenge: headers['www-authenticate'] };
        void readAll(response).then((text) => resolve({ ...said, body: text }), reject);
      },
    );
    request.on('error', reject);
    if (body !== undefined) request.setHeader('content-type', 'application/json');
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function readAll(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return text;
}

/** Tries to open a link, and says hello. Returns the answer to the upgrade, or the first frame. */
export async function tryLink(port: number, tls: ConnectionOptions, hello: object): Promise<Said> {
  const ws = new WebSocket(`wss://127.0.0.1:${port}/link`, { rejectUnauthorized: false, ...tls });
  closers.push(async () => ws.terminate());
  ws.on('error', () => {});
  const refused = once(ws, 'unexpected-response').then(async ([, response]) => {
    const { statusCode } = response as IncomingMessage;
    return { status: statusCode!, body: await readAll(response as IncomingMessage) };
  });
  const answered = once(ws, 'open').then(async () => {
    ws.send(JSON.stringify(hello));
    const [data] = (await once(ws, 'message')) as [Buffer];
    return { status: 101, body: data.toString() };
  });
  return Promise.any([refused, answered]);
}
