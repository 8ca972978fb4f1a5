/** Clusters of real processes whose disks are wiped, copied and set back, and what must hold of them whatever was done. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Command, Json, Outcome } from '../../src/core/index.ts';
import type { AnyJoinOptions, Peer } from '../../src/member/index.ts';
import { type Ground, type GroundOf, loopback, type Place } from './ground.ts';

const SCRIPT = path.resolve(import.meta.dirname, 'watched-member.js');
const CLOCK_SHIFT = path.resolve(import.meta.dirname, 'clock-shift.cjs');

/** What is promised: a leader without an operator's hand, within this time. */
export const HEALS_WITHIN_MS = 5000;
/** A process has to be loaded first, and the machine of a test may be busy with others. */
const STARTS_WITHIN_MS = 60_000;

/** How often a wait looks at the time. */
const TICK_MS = 20;

const nowUs = (): number => Number(process.hrtime.bigint() / 1000n);

interface Standing {
  readonly role: string;
  readonly leader: string | null;
  readonly version: number;
  readonly value: Json;
}

interface Said {
  readonly up?: string;
  readonly log?: string;
  readonly standing?: Standing;
  readonly ordered?: Outcome;
  readonly acting?: string;
  readonly askedUs?: number;
  readonly answeredUs?: number;
}

/** When one process certainly could act with one token. */
interface Reign {
  readonly process: string;
  readonly token: bigint;
  readonly fromUs: number;
  untilUs: number;
}

/** How a process is started, where that differs from the rest of its cluster. */
export interface StartWishes extends AnyJoinOptions {
  /** The wall clock that it sees is set back by so much. */
  readonly setBackMs?: number;
  /** It is a second process: of its id, another may run. */
  readonly isSecond?: boolean;
  /** The file to import of an earlier release; that of today if omitted. */
  readonly build?: string;
  /** More variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** One process of a member. */
export class Watched {
  readonly id: string;
  readonly name: string;
  readonly child: ChildProcess;
  readonly log: string[] = [];
  url = '';
  standing: Standing | null = null;
  /** All that it has been, in order. */
  readonly roles: string[] = [];
  /** The outcomes of the commands that it was given. */
  readonly outcomes: Outcome[] = [];
  /** When it last was known to act, by the clock that all processes share. */
  actedAtUs = 0;
  readonly #place: Place;

  constructor(id: string, name: string, child: ChildProcess, place: Place) {
    this.id = id;
    this.name = name;
    this.child = child;
    this.#place = place;
  }

  signal(signal: NodeJS.Signals): void {
    this.#place.signal(this.child, signal);
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }
}

export class DiskLab {
  readonly peers: readonly Peer[];
  readonly #folder: string = mkdtempSync(path.join(tmpdir(), 'caucus-disks-'));
  readonly #keeps: boolean;
  readonly #wishes: AnyJoinOptions;
  readonly #current = new Map<string, Watched>();
  readonly #all: Watched[] = [];
  readonly #reigns: Reign[] = [];
  readonly #listeners = new Set<() => void>();
  #copies = 0;

  readonly #ground: Ground;

  private constructor(ground: Ground, keeps: boolean, wishes: AnyJoinOptions) {
    this.peers = ground.listens.map(({ host, port }, i) => ({
      id: String.fromCharCode(97 + i),
      url: `http://${host}:${port}`,
    }));
    this.#ground = ground;
    this.#keeps = keeps;
    this.#wishes = { timing: { timeoutMs: [400, 800] }, ...ground.options, ...wishes };
  }

  /** Members a, b, c, … that are not started yet. With `keeps`, each has a data folder. */
  static async open(
    members: number,
    keeps: boolean,
    wishes: AnyJoinOptions = {},
    groundOf: GroundOf = loopback,
  ): Promise<DiskLab> {
    return new DiskLab(await groundOf(members), keeps, wishes);
  }

  /** The same, all started, with a leader that has published a value. */
  static async settled(...wanted: Parameters<typeof DiskLab.open>): Promise<DiskLab> {
    const lab = await DiskLab.open(...wanted);
    await Promise.all(lab.ids.map((id) => lab.start(id)));
    await lab.leader();
    await lab.allSeated();
    await lab.publish({ published: 'first' });
    return lab;
  }

  get ids(): readonly string[] {
    return this.peers.map(({ id }) => String(id));
  }

  /** The process that runs under this id now. */
  at(id: string): Watched {
    return this.#current.get(id)!;
  }

  folder(id: string): string {
    return path.join(this.#folder, id);
  }

  /** What lies in its data folder now, somewhere else. */
  copy(id: string): string {
    const copy = path.join(this.#folder, `${id}-copy-${++this.#copies}`);
    const isLock = (file: string): boolean => path.basename(file) === 'lock';
    cpSync(this.folder(id), copy, { recursive: true, filter: (file) => !isLock(file) });
    return copy;
  }

  remove(id: string, file: string): void {
    rmSync(path.join(this.folder(id), file), { force: true });
  }

  wipe(id: string): void {
    rmSync(this.folder(id), { recursive: true, force: true });
  }

  restore(id: string, copy: string): void {
    this.wipe(id);
    cpSync(copy, this.folder(id), { recursive: true });
  }

  /** Kills a member, has something done to its disk, and starts it again; a leader is there all the time it takes, and after. */
  async whileDown(member: Watched, harm: (id: string) => void, wishes: StartWishes = {}): Promise<void> {
    await this.kill(member);
    harm(member.id);
    await this.leader();
    await this.startKnown(member.id, wishes);
    await this.leader();
    await this.seated(member.id);
  }

  /** Starts a process, and settles when all others that run are connected to it: they have heard of its start then. */
  async startKnown(id: string, wishes: StartWishes = {}): Promise<Watched> {
    const others = this.ids
      .filter((other) => other !== id && this.at(other).isRunning)
      .map((other) => ({ log: this.at(other).log, from: this.at(other).log.length }));
    const started = await this.start(id, wishes);
    await this.until(`all are connected to ${started.name}`, HEALS_WITHIN_MS, () =>
      others.every(({ log, from }) => log.slice(from).some((line) => line.startsWith(`connected to ${id} `))),
    );
    return started;
  }

  /** Settles when its member is up. */
  async start(
    id: string,
    { setBackMs = 0, isSecond = false, build, env = {}, ...wishes }: StartWishes = {},
  ): Promise<Watched> {
    const index = this.ids.indexOf(id);
    const place = this.#ground.place(index);
    const { host, port } = this.#ground.listens[index]!;
    const options: AnyJoinOptions = {
      id,
      peers: this.peers,
      listen: { host, port: isSecond ? this.#ground.secondPort : port },
      ...(this.#keeps ? { data: this.folder(id) } : {}),
      ...this.#wishes,
      ...wishes,
    };
    const shift = { NODE_OPTIONS: `--require ${CLOCK_SHIFT}`, CLOCK_SHIFT_MS: String(-setBackMs) };
    const child = place.spawn([process.execPath, SCRIPT, JSON.stringify(options)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {
        ...process.env,
        ...(setBackMs === 0 ? {} : shift),
        ...(build === undefined ? {} : { CAUCUS_BUILD: build }),
        ...env,
      },
    });
    const watched = new Watched(id, `${id}#${this.#all.length}`, child, place);
    this.#all.push(watched);
    if (!isSecond) this.#current.set(id, watched);
    createInterface({ input: child.stdout! }).on('line', (line) => this.#hear(watched, JSON.parse(line)));
    child.once('exit', () => this.#look());
    await this.until(
      `${watched.name} is up`,
      STARTS_WITHIN_MS,
      () => watched.url !== '' || !watched.isRunning,
    );
    if (!watched.isRunning) throw new Error(`${watched.name} did not start`);
    return watched;
  }

  /** kill -9. Settles when the process is gone. */
  async kill(watched: Watched): Promise<void> {
    if (!watched.isRunning) return;
    const gone = once(watched.child, 'exit');
    watched.signal('SIGKILL');
    await gone;
  }

  /** In order. Settles when the process is gone. */
  async stop(watched: Watched): Promise<void> {
    const gone = once(watched.child, 'exit');
    watched.signal('SIGTERM');
    await gone;
  }

  /** A process that may act, from now on, within the time that is promised. */
  async leader(withinMs: number = HEALS_WITHIN_MS): Promise<Watched> {
    const sinceUs = nowUs();
    const acts = (): Watched | undefined => this.#all.find(({ actedAtUs }) => actedAtUs > sinceUs);
    await this.until('a leader', withinMs, () => acts() !== undefined);
    return acts()!;
  }

  async follower(): Promise<Watched> {
    const leader = await this.leader();
    return this.at(this.ids.find((id) => id !== leader.id)!);
  }

  /** The member takes part: its disk has a seat. */
  async seated(id: string, withinMs: number = HEALS_WITHIN_MS): Promise<void> {
    await this.until(`a seat for ${id}`, withinMs, () => {
      const { standing, isRunning } = this.at(id);
      return isRunning && standing !== null && standing.role !== 'none' && standing.leader !== null;
    });
  }

  /** It runs on a copy, or an old state, of a disk: it has lost its seat, and has been given another. */
  async reseated(watched: Watched): Promise<void> {
    await this.until(`a new seat for ${watched.name}`, HEALS_WITHIN_MS, () => {
      const lostAt = watched.roles.indexOf('none', 1);
      return lostAt >= 0 && watched.roles.length > lostAt + 1 && watched.standing!.leader !== null;
    });
  }

  async allSeated(withinMs: number = HEALS_WITHIN_MS): Promise<void> {
    await Promise.all(this.ids.map((id) => this.seated(id, withinMs)));
  }

  /** Again until it is done: on a busy machine there may be no leader for a moment, or another one than a moment ago. */
  async publish(value: Json): Promise<void> {
    const endMs = performance.now() + HEALS_WITHIN_MS;
    for (;;) {
      const leader = await this.leader();
      const said = await put(`${leader.url}/value`, { value });
      if (said === null) return;
      if (performance.now() > endMs) throw new Error(`${leader.name}: ${said}\n${this.tell()}`);
    }
  }

  /** Gives the leader a command, again until it is done. One that was answered too late may have been carried out. */
  async order(command: Command): Promise<void> {
    const endMs = performance.now() + HEALS_WITHIN_MS;
    for (let isRepeated = false; ; isRepeated = true) {
      const leader = await this.leader();
      const count = leader.outcomes.length;
      leader.child.stdin!.write(`${JSON.stringify(command)}\n`);
      await this.until('an outcome', STARTS_WITHIN_MS, () => leader.outcomes.length > count);
      const outcome = leader.outcomes[count]!;
      if (outcome.status === 'done') return;
      const isThere = outcome.status === 'refused' && outcome.reason.endsWith('is a member already');
      if (isRepeated && command.type === 'add' && isThere) return;
      if (performance.now() > endMs) throw new Error(`${leader.name}: ${JSON.stringify(outcome)}`);
    }
  }

  async shows(watched: Watched, value: Json): Promise<void> {
    const wanted = JSON.stringify(value);
    await this.until(`${watched.name} shows ${wanted}`, HEALS_WITHIN_MS, () => {
      return JSON.stringify(watched.standing?.value) === wanted;
    });
  }

  /**
   * The next failure is survived too: the leader dies, another takes over in time, and knows what was published. With three
   * members that takes the vote of the one that was ill before.
   */
  async survivesNext(value: Json): Promise<void> {
    const leader = await this.leader();
    await this.kill(leader);
    const next = await this.leader();
    assert.notEqual(next.id, leader.id);
    assert.deepEqual(next.standing!.value, value);
    await this.start(leader.id);
    await this.seated(leader.id);
  }

  /** At no moment could two act, and every leadership has a larger token than all before it. */
  check(): void {
    const reigns = [...this.#reigns].sort((a, b) => a.fromUs - b.fromUs);
    const told = reigns.map(
      ({ process, token, fromUs, untilUs }) => `${process} ${token} ${fromUs}-${untilUs}`,
    );
    for (const [i, reign] of reigns.entries()) {
      const before = reigns[i - 1];
      if (before === undefined) continue;
      assert(reign.token > before.token, `tokens grow: ${told.join(', ')}`);
      assert(reign.fromUs > before.untilUs, `two act: ${told.join(', ')}`);
    }
  }

  get tokens(): readonly bigint[] {
    return this.#reigns.map(({ token }) => token);
  }

  /**
   * Of a tick that comes late, only so much counts as two ticks on time: other processes kept the processors busy, so the members
   * had none either, and the promise is about what they do, not about the machine.
   */
  async until(what: string, withinMs: number, isSo: () => boolean): Promise<void> {
    if (isSo()) return;
    await new Promise<void>((resolve, reject) => {
      let leftMs = withinMs;
      let beforeMs = performance.now();
      const stop = (): void => {
        this.#listeners.delete(look);
        clearTimeout(timer);
      };
      const look = (): void => {
        if (!isSo()) return;
        stop();
        resolve();
      };
      const tick = (): void => {
        const nowMs = performance.now();
        leftMs -= Math.min(nowMs - beforeMs, 2 * TICK_MS);
        beforeMs = nowMs;
        if (leftMs > 0) {
          timer = setTimeout(tick, TICK_MS);
          return;
        }
        stop();
        reject(new Error(`${what}: not within ${withinMs} ms\n${this.tell()}`));
      };
      let timer = setTimeout(tick, TICK_MS);
      this.#listeners.add(look);
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.filter((each) => each.isRunning).map((each) => this.kill(each)));
    this.#ground.remove();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #hear(from: Watched, said: Said): void {
    if (said.up !== undefined) from.url = said.up;
    if (said.log !== undefined) from.log.push(said.log);
    if (said.ordered !== undefined) from.outcomes.push(said.ordered);
    if (said.standing !== undefined) {
      from.standing = said.standing;
      if (from.roles.at(-1) !== said.standing.role) from.roles.push(said.standing.role);
    }
    if (said.acting !== undefined) {
      from.actedAtUs = said.askedUs!;
      this.#onActing(from, BigInt(said.acting), said.askedUs!, said.answeredUs!);
    }
    this.#look();
  }

  #onActing({ name }: Watched, token: bigint, askedUs: number, answeredUs: number): void {
    const found = this.#reigns.find((each) => each.process === name && each.token === token);
    if (found !== undefined) found.untilUs = Math.max(found.untilUs, askedUs);
    else this.#reigns.push({ process: name, token, fromUs: answeredUs, untilUs: answeredUs });
  }

  #look(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** How each process stands, with the last lines of its log. */
  tell(): string {
    return this.#all
      .map(({ name, isRunning, standing, log }) =>
        [`${name} ${isRunning ? 'runs' : 'is gone'} ${JSON.stringify(standing)}`, ...log.slice(-8)].join(
          '\n    ',
        ),
      )
      .join('\n');
  }
}

/** What the answer says if it is a refusal, or why there is none; null if it was done. */
async function put(url: string, body: Json): Promise<string | null> {
  try {
    const answer = await fetch(url, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(HEALS_WITHIN_MS),
    });
    const said = await answer.text();
    return answer.ok ? null : `${answer.status} ${said}`;
  } catch (error) {
    return String(error);
  }
}
