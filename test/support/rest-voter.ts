/**
 * A voter that speaks nothing but the REST endpoints of seed 002, as somebody would write it in another language with
 * /openapi.json in hand. It shares no code with Caucus. It keeps nothing on disk and is no example of a good voter: only of one
 * that registers, shows that it is there, draws, tells its result, certifies, and can win.
 */
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RestVoterProof } from './rest-voter-proof.ts';

type Id = number | string;
type Body = Record<string, unknown>;
type Listed = { readonly voterId: Id; readonly voterUrl: string };

interface Ballot {
  readonly election: number;
  readonly voters: readonly Id[];
  contenders: readonly Id[];
  round: number;
  /** By voter and round. */
  readonly casts: Map<string, bigint>;
  winner: Id | null;
  readonly results: Map<Id, Id>;
  readonly certificates: Set<Id>;
  isCertified: boolean;
}

export interface RestVoterOptions {
  readonly id: Id;
  /** A member to register with. */
  readonly seed: string;
  readonly heartbeatMs: number;
  /** What to cast in each round of an election; 64 random bits if it is left out. */
  readonly draw?: (round: number) => bigint;
  /** Where it listens, and is reached (default: a free port of the loopback). */
  readonly listen?: { readonly host: string; readonly port: number };
  /** The name of the cluster and its secret, if it has one (docs/authentication.md). */
  readonly secret?: { readonly cluster: string; readonly text: string };
}

/** Emits `change` after everything that it heard. */
export class RestVoter extends EventEmitter {
  readonly id: Id;
  url = '';
  leader: Id | null = null;
  term = 0;
  /** It was asked to leave, and takes no part any more. */
  isRemoved = false;
  /** Every election in which it has cast a number, and those that it has certified. */
  readonly castIn: number[] = [];
  readonly certifiedIn: number[] = [];

  readonly #options: RestVoterOptions;
  readonly #server: Server;
  readonly #urls = new Map<Id, string>();
  readonly #missed = new Map<Id, number>();
  #newest = 0;
  #ballot: Ballot | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  readonly #proof: RestVoterProof | null;

  constructor(options: RestVoterOptions) {
    super();
    this.id = options.id;
    this.#options = options;
    const { secret } = options;
    this.#proof = secret === undefined ? null : new RestVoterProof(this.id, secret.cluster, secret.text);
    this.#server = createServer((request, response) => void this.#onRequest(request, response));
  }

  get isLeader(): boolean {
    return this.leader === this.id;
  }

  get knownVoters(): Id[] {
    return [...this.#missed.keys(), this.id].sort(byId);
  }

  /** Registers with one member, and learns of the others from the answer. They hear of it from each other. */
  async start(): Promise<void> {
    const { host, port } = this.#options.listen ?? { host: '127.0.0.1', port: 0 };
    await new Promise<void>((resolve) => this.#server.listen(port, host, resolve));
    this.url = `http://${host}:${(this.#server.address() as AddressInfo).port}`;
    const answer = await this.#call('POST', `${this.#options.seed}/register`, this.#sender());
    if (answer === null) throw new Error('the seed does not answer');
    this.#hearOf(answer);
    this.#know(answer.voterId as Id, this.#options.seed);
    await this.#learn(answer.voters as Listed[]);
    this.#timer = setInterval(() => this.#onBeat(), this.#options.heartbeatMs);
  }

  /** Goes without a word, as a process that is killed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #sender(): Body {
    return { voterId: this.id, voterUrl: this.url };
  }

  #status(): Body {
    return {
      role: this.isLeader ? 'leader' : 'follower',
      leader: this.leader,
      term: this.term,
      election: this.#newest,
      knownVoters: this.knownVoters,
      voters: this.#listed(),
      offline: [...this.#missed].filter(([, missed]) => missed > 3).map(([id]) => id),
    };
  }

  #listed(): Listed[] {
    const others = [...this.#missed.keys()].map((id) => ({ voterId: id, voterUrl: this.#urls.get(id)! }));
    return [...others, { voterId: this.id, voterUrl: this.url }];
  }

  #know(id: Id, url: string): void {
    this.#urls.set(id, url);
    if (!this.#missed.has(id)) this.#missed.set(id, 0);
  }

  #onBeat(): void {
    for (const [id, missed] of this.#missed) {
      this.#missed.set(id, missed + 1);
      if (missed > 5 && id !== this.leader) this.#missed.delete(id);
      else void this.#send(id, 'heartbeat', this.#status());
    }
    if (this.#ballot !== null) this.#sayAgain(this.#ballot);
    this.emit('change');
  }

  /** Posts a message and takes what comes back: the fields of the answer, and further messages. */
  async #send(to: Id, type: string, fields: Body = {}): Promise<void> {
    const url = this.#urls.get(to);
    if (url === undefined) return;
    const answer = await this.#call('POST', `${url}/${type}`, { ...this.#sender(), ...fields });
    if (answer === null || this.#isClosed) return;
    this.#missed.set(to, 0);
    if (type === 'register') this.#hearOf(answer);
    for (const { type: path, ...rest } of (answer.messages ?? []) as (Body & { type: string })[]) {
      await this.#onMessage(to, path, rest);
    }
    this.emit('change');
  }

  async #call(method: string, url: string, body?: Body): Promise<Body | null> {
    try {
      const { origin, pathname } = new URL(url);
      const response =
        this.#proof === null
          ? await fetch(url, {
              method,
              ...(body === undefined ? {} : { body: JSON.stringify(body) }),
              headers: { 'content-type': 'application/json' },
            })
          : await this.#proof.fetch(origin, pathname, method, body === undefined ? '' : JSON.stringify(body));
      if (response === null || !response.ok) return null;
      const text = await response.text();
      return text === '' ? {} : (JSON.parse(text) as Body);
    } catch {
      return null; // It is down, or gone.
    }
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url!.slice(1);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { headers, method = '' } = request;
    const isTalk = method === 'POST' || (method === 'GET' && path === 'status');
    const entry = isTalk ? this.#proof?.check(headers.authorization, method, `/${path}`, text) : undefined;
    if (entry !== undefined && 'challenge' in entry) {
      response.setHeader('www-authenticate', entry.challenge);
      if (entry.sign !== undefined) response.setHeader('authentication-info', entry.sign(401, ''));
      return send(response, 401);
    }
    const reply = (to: ServerResponse, status: number, body?: Body): void => {
      const answer = body === undefined ? '' : JSON.stringify(body);
      if (entry !== undefined) to.setHeader('authentication-info', entry.sign(status, answer));
      send(to, status, answer);
    };
    if (method === 'GET' && path === 'status' && !this.isRemoved)
      return reply(response, 200, { ...this.#sender(), ...this.#status() });
    if (method !== 'POST' || !PATHS.includes(path)) return reply(response, 404, {});
    const { voterId, voterUrl, ...fields } = JSON.parse(text) as Body;
    if (path === 'remove' && voterId === this.id) {
      this.isRemoved = true;
      this.leader = null;
      this.#ballot = null;
      clearInterval(this.#timer);
      reply(response, 204);
      this.emit('change');
      return;
    }
    if (this.isRemoved) return reply(response, 404, {});
    if (path === 'remove') {
      this.#missed.delete(voterId as Id);
      if (this.leader === voterId) this.leader = null;
      return reply(response, 204);
    }
    const from = voterId as Id;
    this.#know(from, voterUrl as string);
    this.#missed.set(from, 0);
    if (path === 'register') {
      if (this.leader === from) this.leader = null;
      return reply(response, 200, { ...this.#sender(), ...this.#status() });
    }
    reply(response, 204);
    await this.#onMessage(from, path, fields);
    this.emit('change');
  }

  async #onMessage(from: Id, type: string, fields: Body): Promise<void> {
    const election = fields.election as number;
    switch (type) {
      case 'heartbeat':
        this.#hearOf({ ...fields, voterId: from });
        return this.#learn((fields.voters ?? []) as Listed[]);
      case 'status':
        return this.#send(from, 'status/answer', this.#status());
      case 'reconcile':
        return this.#learn((fields.voters ?? []) as Listed[]);
      case 'election/start':
        return this.#join(election, fields.voters as Id[]);
      case 'election/cast':
        this.#join(election, fields.voters as Id[]);
        return this.#onCast(from, election, fields.round as number, fields.number as string);
      case 'election/result':
        return this.#onResult(from, election, fields.winner as Id);
      case 'election/certify':
        return this.#onCertify(from, election, fields.winner as Id);
    }
  }

  /** The newer election counts; of the one that we know, only the leader's own word. */
  #hearOf(status: Body): void {
    const term = status.term as number;
    const leader = status.leader as Id | null;
    const from = status.voterId as Id;
    this.#newest = Math.max(this.#newest, (status.election as number | undefined) ?? 0, term);
    if (leader !== null && (term > this.term || (term === this.term && leader === from))) {
      this.leader = leader;
      this.term = term;
      if (this.#ballot !== null && this.#ballot.election <= term) this.#ballot = null;
    } else if (this.leader === from && leader !== from && term >= this.term) this.leader = null;
  }

  /** Asks the voters that it does not know for their status, and adds those that answer. */
  async #learn(listed: readonly Listed[]): Promise<void> {
    for (const { voterId, voterUrl } of listed) {
      if (voterId === this.id || this.#missed.has(voterId)) continue;
      if ((await this.#call('GET', `${voterUrl}/status`)) !== null) this.#know(voterId, voterUrl);
    }
  }

  #join(election: number, voters: readonly Id[]): void {
    if (election <= (this.castIn.at(-1) ?? 0) || election <= this.term || !voters.includes(this.id)) return;
    this.#newest = Math.max(this.#newest, election);
    this.castIn.push(election);
    this.#ballot = {
      election,
      voters,
      contenders: voters,
      round: 1,
      casts: new Map(),
      winner: null,
      results: new Map(),
      certificates: new Set(),
      isCertified: false,
    };
    this.#cast(this.#ballot);
  }

  #cast(ballot: Ballot): void {
    const number = this.#options.draw?.(ballot.round) ?? randomBytes(8).readBigUInt64BE();
    ballot.casts.set(`${this.id}/${ballot.round}`, number);
    this.#tellAll(ballot, 'election/cast', {
      voters: ballot.voters,
      round: ballot.round,
      number: number.toString(),
    });
    this.#count(ballot);
  }

  #tellAll({ election, voters }: Ballot, type: string, fields: Body): void {
    for (const to of voters) if (to !== this.id) void this.#send(to, type, { election, ...fields });
  }

  #onCast(from: Id, election: number, round: number, number: string): void {
    const ballot = this.#ballot;
    if (ballot?.election !== election) return;
    ballot.casts.set(`${from}/${round}`, BigInt(number));
    this.#count(ballot);
  }

  /** The highest number wins; the tied draw again. */
  #count(ballot: Ballot): void {
    while (ballot.winner === null) {
      const numbers = ballot.contenders.map((id) => ballot.casts.get(`${id}/${ballot.round}`));
      if (numbers.includes(undefined)) return;
      const highest = (numbers as bigint[]).sort(byValue).at(-1)!;
      const tied = ballot.contenders.filter((id) => ballot.casts.get(`${id}/${ballot.round}`) === highest);
      if (tied.length === 1) {
        ballot.winner = tied[0]!;
        ballot.results.set(this.id, ballot.winner);
        this.#tellAll(ballot, 'election/result', { winner: ballot.winner });
        return this.#certify(ballot);
      }
      ballot.contenders = tied;
      ballot.round += 1;
      if (tied.includes(this.id)) return this.#cast(ballot);
    }
  }

  #onResult(from: Id, election: number, winner: Id): void {
    const ballot = this.#ballot;
    if (ballot?.election !== election) return;
    ballot.results.set(from, winner);
    this.#certify(ballot);
  }

  /** All versions of the result are there and agree. */
  #certify(ballot: Ballot): void {
    const { winner, election } = ballot;
    if (winner === null || ballot.isCertified || ballot.results.size < ballot.voters.length) return;
    if ([...ballot.results.values()].some((each) => each !== winner)) return;
    ballot.isCertified = true;
    this.certifiedIn.push(election);
    if (winner === this.id) return this.#onCertify(this.id, election, winner);
    if (this.isLeader) this.leader = null;
    void this.#send(winner, 'election/certify', { election, winner });
  }

  #onCertify(from: Id, election: number, winner: Id): void {
    const ballot = this.#ballot;
    if (ballot?.election !== election || winner !== this.id) return;
    ballot.certificates.add(from);
    if (!ballot.isCertified || !ballot.voters.every((id) => ballot.certificates.has(id))) return;
    this.leader = this.id;
    this.term = election;
    this.#ballot = null;
    for (const id of this.#missed.keys()) void this.#send(id, 'heartbeat', this.#status());
  }

  /** A message may have been lost. */
  #sayAgain(ballot: Ballot): void {
    const { election, winner, voters } = ballot;
    for (const [key, number] of ballot.casts) {
      const [voter, round] = key.split('/') as [string, string];
      if (voter !== String(this.id)) continue;
      this.#tellAll(ballot, 'election/cast', { voters, round: Number(round), number: number.toString() });
    }
    if (winner !== null) this.#tellAll(ballot, 'election/result', { winner });
    if (ballot.isCertified && winner !== null && winner !== this.id) {
      void this.#send(winner, 'election/certify', { election, winner });
    }
  }
}

const ELECTION_PATHS = ['start', 'cast', 'result', 'certify'].map((each) => `election/${each}`);
const PATHS = ['register', 'remove', 'heartbeat', 'reconcile', ...ELECTION_PATHS];

function send(response: ServerResponse, status: number, text = ''): void {
  response.writeHead(status, text === '' ? {} : { 'content-type': 'application/json' });
  response.end(text);
}

/** A JavaScript number would round the low bits away. */
function byValue(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Numbers by value, before all text. */
function byId(a: Id, b: Id): number {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === 'number' ? -1 : 1;
}
