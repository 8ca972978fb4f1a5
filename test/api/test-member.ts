/**
 * Members for the tests of the HTTP API: the real hosts of the real protocols on the real clock, whose messages go from one to
 * the other in this process. What else a member knows (voters, links, illness) is a plain field.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Api,
  createApi,
  type LinkStatus,
  type MemberPort,
  noRefusals,
  type Peer,
  type Refusal,
} from '../../src/api/index.ts';
import { type Definition, electionName, type MemberId, readSettings } from '../../src/core/index.ts';
import { SystemClock } from '../../src/member/clock.ts';
import { ElectionHost } from '../../src/member/election-host.ts';
import { SenderBudgets } from '../../src/member/sender-budgets.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { untilSo } from './waiting.ts';

interface Wishes {
  readonly protocol?: string;
  readonly timing?: object;
  readonly watchHeartbeatMs?: number;
}

export class TestMember implements MemberPort {
  readonly id: MemberId;
  url = '';
  readonly cluster = 'tests';
  readonly definition: Definition;
  readonly incarnation = 1;
  readonly startedAtMs: number = Date.now();
  readonly mainElection = 'main';
  readonly elections: ElectionHost[] = [];
  readonly refusals: Record<Refusal, number> = noRefusals();
  voters: Peer[] = [];
  links: LinkStatus[] = [];
  illness: string | null = null;
  isOpen = true;

  readonly #wishes: Wishes;
  readonly #all: readonly TestMember[];
  readonly #listeners = new Set<() => void>();
  readonly #server: http.Server;
  readonly #api: Api;

  constructor(id: MemberId, all: readonly TestMember[], wishes: Wishes) {
    this.id = id;
    this.#all = all;
    this.#wishes = wishes;
    this.definition = catalogue[wishes.protocol ?? 'quorum']!;
    const { watchHeartbeatMs } = wishes;
    this.#api = createApi(this, watchHeartbeatMs === undefined ? {} : { watchHeartbeatMs });
    this.#server = http.createServer(this.#api);
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Settles only if nothing keeps the server open, so that every test shows that streams end. */
  async close(): Promise<void> {
    this.isOpen = false;
    for (const election of this.elections) election.stop();
    this.#api.close();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeIdleConnections();
    await closed;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  get main(): ElectionHost {
    return this.electionPort(this.mainElection);
  }

  electionPort(name: string): ElectionHost {
    const found = this.elections.find((election) => election.name === name);
    if (found !== undefined) return found;
    electionName.read(name, 'election');
    const { timing } = this.#wishes;
    const { definition } = this;
    const made = definition.create({
      timing: readSettings(definition.timing, timing, 'timing'),
      options: readSettings(
        definition.options,
        definition.name === 'quorum' ? { preset: 'lan' } : {},
        'options',
      ),
    });
    const self = { id: this.id, members: this.voters.map(({ id }) => id), settings: { priority: 1 } };
    const host = new ElectionHost(name, self, definition, made, {
      clock: new SystemClock(),
      send: (to, message) => {
        const other = this.#all.find((each) => each.id === to);
        setImmediate(() => {
          if (other?.isOpen) other.electionPort(name).give({ type: 'message', from: this.id, message });
        });
      },
      save: () => null,
      isVoter: (id) => this.voters.some((voter) => voter.id === id),
      budgets: new SenderBudgets(new SystemClock(), () => 1),
      stepped: () => {},
    });
    this.elections.push(host);
    host.start(made.genesis?.(self) ?? null, this.incarnation, String(this.incarnation));
    this.changed();
    return host;
  }

  isConfigured(id: MemberId): boolean {
    return this.#all.some((member) => member.id === id);
  }

  registerVoter(voter: Peer): { accepted: true } | { accepted: false; reason: string } {
    if (!voter.url.startsWith('http://127.0.0.1:')) {
      return { accepted: false, reason: `${voter.url} is neither configured nor on this machine` };
    }
    this.voters = [...this.voters.filter(({ id }) => id !== voter.id), voter];
    return { accepted: true };
  }

  countRefusal(refusal: Refusal): void {
    this.refusals[refusal] += 1;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** A running cluster of members with these ids. */
export async function openMembers(ids: readonly MemberId[], wishes: Wishes = {}): Promise<TestMember[]> {
  const all: TestMember[] = [];
  for (const id of ids) all.push(new TestMember(id, all, wishes));
  for (const member of all) await member.listen();
  for (const member of all) member.voters = all.map(({ id, url }) => ({ id, url }));
  for (const member of all) void member.main;
  return all;
}

/** Settles once `isSo`, which is looked at after every change of this election. */
export function until(election: ElectionHost, isSo: () => boolean): Promise<void> {
  return untilSo([election], isSo);
}

/** The member that may act, once there is one, and all others follow it. */
export async function settled(members: readonly TestMember[]): Promise<TestMember> {
  let leader: TestMember | undefined;
  await untilSo(
    members.map(({ main }) => main),
    () => {
      leader = members.find(({ main }) => main.acting);
      return leader !== undefined && members.every(({ main }) => main.view.leader === leader!.id);
    },
  );
  return leader!;
}

export interface Answered {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; tests say what they expect in it. */
  // biome-ignore lint/suspicious/noExplicitAny: the body of any answer
  readonly json: any;
}

/** One request on a connection of its own. */
export function ask(
  member: { readonly url: string },
  method: string,
  path: string,
  body?: unknown,
  headers: http.OutgoingHttpHeaders = {},
): Promise<Answered> {
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const bytes = body === undefined ? undefined : isRaw ? body : JSON.stringify(body);
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const options = { method, agent: false as const, headers: { ...type, ...headers } };
    const request = http.request(`${member.url}${path}`, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = response.headers['content-type']?.startsWith('application/json') && text !== '';
        const json = isJson ? JSON.parse(text) : undefined;
        resolve({ status: response.statusCode!, headers: response.headers, text, json });
      });
    });
    request.on('error', reject);
    request.end(bytes);
  });
}
