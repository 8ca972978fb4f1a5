/** A member that lies, and strangers: sends made-up messages over links and by POST, and looks whether two members ever act. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { encodeHello } from '../../src/member/links/frames.ts';
import { RestVoterProof } from '../../test/support/rest-voter-proof.ts';
import { Forger, type Known } from './forge.ts';
import { LiarLink } from './liar-link.ts';
import type { Process, Status } from './members.ts';
import type { Random } from './random.ts';

/** Stays connected to the members under the name of one of them, and learns from what they say. */
export class Liar {
  readonly id: number;
  readonly known: Known;
  readonly #url: string;
  readonly #links = new Map<number, LiarLink>();
  readonly #secret: string | null;
  /** By name: with the secret, it can speak for every member. */
  readonly #proofs = new Map<number, RestVoterProof>();

  /** `secret`: that of the cluster, if it has one. */
  constructor(id: number, url: string, known: Known, secret: string | null) {
    this.id = id;
    this.#url = url;
    this.known = known;
    this.#secret = secret;
  }

  /** The receiver takes the requests of a sender in their order. */
  get mostPosts(): number {
    return this.#secret === null ? 8 : 1;
  }

  async connect(member: Process): Promise<void> {
    const link = await LiarLink.open(member.url, [this.id, member.id], this.#secret);
    link.onText = (text) => this.#learn(member.id, text);
    const { life } = this.known.origins.get(this.id)!;
    const identity = { id: this.id, cluster: 'caucus', incarnation: 1, url: this.#url, process: null };
    link.send(encodeHello({ ...identity, life }));
    await once(link.socket, 'message');
    this.#links.set(member.id, link);
  }

  send(to: number, frame: string): boolean {
    const link = this.#links.get(to);
    if (link?.socket.readyState !== WebSocket.OPEN) return false;
    link.send(frame);
    return true;
  }

  /** Posts in the name of a member; returns the status. */
  async post(
    to: Process,
    from: number,
    path: string,
    body: object,
  ): Promise<{ status: number; body: unknown }> {
    if (this.#secret === null) return to.ask('POST', path, body);
    const proof = this.#proofs.get(from) ?? new RestVoterProof(from, 'caucus', this.#secret);
    this.#proofs.set(from, proof);
    const response = await proof.fetch(to.url, path, 'POST', JSON.stringify(body));
    if (response === null) throw new Error('its proof was refused');
    return { status: response.status, body: await response.text() };
  }

  /** Waits until the members have read all. */
  async flush(): Promise<void> {
    for (const { socket } of this.#links.values()) {
      if (socket.readyState !== WebSocket.OPEN) continue;
      await new Promise<void>((resolve) => {
        socket.once('pong', resolve);
        socket.once('close', resolve);
        socket.ping();
        // Whichever comes first; what is left over goes with the socket.
      });
    }
  }

  disconnect(): void {
    for (const { socket } of this.#links.values()) socket.terminate();
    this.#links.clear();
  }

  #learn(from: number, text: string): void {
    const frame: unknown = JSON.parse(text);
    if (!Array.isArray(frame)) return;
    const message = frame[1];
    if (message.by !== undefined) this.known.origins.set(from, message.by);
    if (message.term > this.known.term) this.known.term = message.term;
    if (message.type === 'heartbeat') this.known.round = message.round;
    if (message.register !== undefined) this.known.register = message.register;
  }
}

export interface Sent {
  readonly byLink: number;
  readonly byPost: number;
  /** By status. */
  readonly answers: Readonly<Record<string, number>>;
}

/**
 * Sends so many, over links where they stand, by POST in any name where not. With `asLeader` the liar also changes the members one at
 * a time, as a leader does for its operator: no bound can tell that from the truth.
 */
export async function attack(
  liar: Liar,
  members: readonly Process[],
  random: Random,
  count: number,
  viaLinks: boolean,
  asLeader: boolean,
): Promise<Sent> {
  const ids = [...members.map(({ id }) => id), liar.id];
  const forger = new Forger(random, liar.known, ids);
  const answers: Record<string, number> = {};
  let byLink = 0;
  let byPost = 0;
  const pending = new Set<Promise<void>>();
  for (let i = 0; i < count; i++) {
    const to = random.pick(members);
    if (viaLinks && random.chance(0.7)) {
      const message = forger.message(liar.id, to.id, asLeader);
      if (liar.send(to.id, JSON.stringify(['main', message]))) byLink++;
      else await liar.connect(to);
      if (i % 20 === 0) await liar.flush();
      continue;
    }
    const from = random.chance(0.5) ? liar.id : random.pick(ids.filter((id) => id !== to.id));
    const { type, ...fields } = forger.message(from, to.id, true);
    byPost++;
    const posting = liar
      .post(to, from, `/${type}`, { voterId: from, ...fields })
      .then(
        ({ status, body }) => {
          answers[status] = (answers[status] ?? 0) + 1;
          if (status >= 500) answers[JSON.stringify(body)] = (answers[JSON.stringify(body)] ?? 0) + 1;
        },
        (error: Error) => {
          answers[error.message] = (answers[error.message] ?? 0) + 1;
        },
      )
      .finally(() => pending.delete(posting));
    pending.add(posting);
    if (pending.size >= liar.mostPosts) await Promise.race(pending);
  }
  await Promise.all(pending);
  await liar.flush();
  return { byLink, byPost, answers };
}

interface Seen extends Status {
  readonly askedMs: number;
  readonly answeredMs: number;
}

/**
 * Asks all members again and again whether they act. Two acted at once for certain if one said so both before and after the other
 * did, with one token.
 */
export class Watch {
  readonly overlaps: string[] = [];
  /** How many times it was seen that a member acts, and how many that it does not. */
  acting = 0;
  asked = 0;
  readonly #before = new Map<number, Seen>();
  readonly #others = new Map<number, Seen[]>();
  #isOver = false;
  readonly #loops: Promise<void>[];

  constructor(members: readonly Process[]) {
    this.#loops = members.map((member) => this.#watch(member));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }

  async #watch(member: Process): Promise<void> {
    while (!this.#isOver) {
      const askedMs = performance.now();
      const status = await member.status();
      if (status !== null) this.#note(member.id, { ...status, askedMs, answeredMs: performance.now() });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  #note(id: number, now: Seen): void {
    this.asked++;
    if (now.acting) this.acting++;
    const before = this.#before.get(id);
    this.#before.set(id, now);
    const isHeld = before?.acting && now.acting && before.token === now.token;
    for (const [other, seen] of this.#others) {
      if (other === id) continue;
      const during = isHeld
        ? seen.find((each) => each.askedMs > before.answeredMs && each.answeredMs < now.askedMs)
        : undefined;
      if (during !== undefined)
        this.overlaps.push(`${id} (token ${now.token}) and ${other} (token ${during.token})`);
    }
    if (!now.acting) return;
    const list = this.#others.get(id) ?? [];
    this.#others.set(id, [...list.slice(-50), now]);
  }
}
