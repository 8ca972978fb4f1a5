import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { withoutSecretVariables } from '../../input/secret-variables.ts';

/** The state of a member of the fleet, as far as its process and its own log show it. */
export type MemberState = 'starting' | 'up' | 'leading' | 'paused' | 'down';

export interface FleetMember {
  readonly id: number;
  readonly url: string;
  readonly data: string;
  pid: number | null;
  state: MemberState;
  /** Of the last leadership that it held. */
  token: string | null;
  /** How many of the other elections it leads (`--elections`). */
  leads: number;
}

/** One event. `id` is the member that it happened to; null if it happened to none in particular. */
export interface FleetEvent {
  readonly at: string;
  readonly event: string;
  readonly id: number | null;
  readonly text: string;
  readonly [field: string]: unknown;
}

export interface FleetPlan {
  readonly members: readonly {
    readonly id: number;
    readonly port: number;
    readonly data: string;
  }[];
  /** The name of the election that the members report. */
  readonly election: string;
  /** How many elections there are besides (`--elections`). */
  readonly others: number;
  /** Flags for every member. */
  readonly flags: readonly string[];
  /** What the members authenticate each other with, and no other process has. */
  readonly secret: string;
}

const HOST = '127.0.0.1';
/** A member transfers and closes within milliseconds; one that cannot is killed. */
const STOP_WITHIN_MS = 5000;
/** Both files are compiled to JavaScript, or both run as TypeScript. */
const MAIN = fileURLToPath(new URL(`../../main${import.meta.url.slice(-3)}`, import.meta.url));

/** How often it is told how many elections have a leader, at most. */
const PROGRESS_EVERY_MS = 500;

/** Members as separate processes on this machine. */
export class Fleet {
  readonly members: readonly FleetMember[];
  readonly election: string;
  /** How many elections there are besides. */
  readonly others: number;
  readonly #plan: FleetPlan;
  readonly #tell: (event: FleetEvent) => void;
  readonly #processes = new Map<number, ChildProcess>();
  /** Members that have run at least once. */
  readonly #veterans = new Set<number>();
  readonly #killed = new Set<number>();
  /** The states of paused members before SIGSTOP, for when they resume. */
  readonly #before = new Map<number, MemberState>();
  #progress: NodeJS.Timeout | undefined;
  /** How many had a leader when that was last told. */
  #told = 0;
  #isStopping = false;

  constructor(plan: FleetPlan, tell: (event: FleetEvent) => void) {
    this.#plan = plan;
    this.election = plan.election;
    this.others = plan.others;
    this.#tell = tell;
    this.members = plan.members.map(({ id, port, data }) => ({
      id,
      url: `http://${HOST}:${port}`,
      data,
      pid: null,
      state: 'down',
      token: null,
      leads: 0,
    }));
  }

  /** The member that leads and may act, by its own log. A paused member is not counted. */
  get leader(): FleetMember | null {
    return this.members.find(({ state }) => state === 'leading') ?? null;
  }

  /**
   * How many of the other elections have a leader, by the logs of the members that run. A former leader may log its loss
   * later than the next one its election.
   */
  get led(): number {
    const counts = this.members.map(({ state, leads }) => (state === 'paused' ? 0 : leads));
    return Math.min(
      this.others,
      counts.reduce((sum, leads) => sum + leads, 0),
    );
  }

  start(id: number): void {
    const member = this.#find(id);
    if (member === undefined || this.#processes.has(id) || this.#isStopping) return;
    const { port, data } = this.#plan.members.find((each) => each.id === id)!;
    const peers = this.members.map((each) => `${each.id}=${each.url}`).join(',');
    const args = ['node', '--json', '--id', String(id), '--listen', `${HOST}:${port}`, '--peers', peers];
    // In its own session, so that Ctrl-C does not reach it: we stop it ourselves. If we die, the channel closes, and
    // it stops too.
    const child = spawn(
      process.execPath,
      [...process.execArgv, MAIN, ...args, '--data', data, ...this.#plan.flags],
      {
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        detached: true,
        // Not as a flag: every user of the machine sees those.
        env: { ...withoutSecretVariables(process.env), CAUCUS_SECRET: this.#plan.secret },
      },
    );
    if (this.#veterans.has(id)) this.#say('restart', id, `member ${id} is restarted`);
    this.#veterans.add(id);
    this.#processes.set(id, child);
    member.pid = child.pid ?? null;
    member.state = 'starting';
    const { url, pid } = member;
    this.#say('member', id, `member ${id} is process ${pid} at ${url}`, { pid, url, data });
    createInterface({ input: child.stdout! }).on('line', (line) => this.#hear(member, line));
    createInterface({ input: child.stderr! }).on('line', (line) => this.#say('stderr', id, line));
    child.on('error', () => {}); // Its exit is reported too.
    child.on('exit', (code, signal) => {
      this.#processes.delete(id);
      member.pid = null;
      member.state = 'down';
      member.leads = 0;
      const asked = this.#killed.delete(id);
      this.#say('exit', id, `member ${id} ended (${signal ?? `exit code ${code}`})`, { code, signal, asked });
      if (this.others > 0) this.#tellProgress();
    });
  }

  /** Kills it with SIGKILL. */
  kill(id: number): void {
    const child = this.#processes.get(id);
    if (child === undefined) return;
    this.#killed.add(id);
    this.#say('kill', id, `kill -9 of member ${id}`);
    child.kill('SIGKILL');
  }

  pause(id: number): void {
    const member = this.#find(id);
    if (member === undefined || !this.#processes.get(id)?.kill('SIGSTOP')) return;
    if (member.state !== 'paused') this.#before.set(id, member.state);
    member.state = 'paused';
    this.#say('pause', id, `member ${id} is stopped with SIGSTOP`);
  }

  resume(id: number): void {
    const member = this.#find(id);
    if (member === undefined || !this.#processes.get(id)?.kill('SIGCONT')) return;
    // If it no longer leads, it reports that itself as soon as it notices.
    member.state = this.#before.get(id) ?? 'up';
    this.#say('resume', id, `member ${id} is resumed`);
  }

  /** Settles when no process is left. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#progress);
    const children = [...this.#processes.values()];
    const gone = children.map((child) => new Promise<void>((resolve) => child.once('exit', () => resolve())));
    for (const child of children) {
      child.kill('SIGCONT');
      child.kill('SIGTERM');
    }
    const impatience = setTimeout(() => {
      for (const child of children) child.kill('SIGKILL');
    }, STOP_WITHIN_MS);
    await Promise.all(gone);
    clearTimeout(impatience);
  }

  /** Reports where the first member is, if it is not at the default port. */
  moved(taken: number): void {
    const { id, url } = this.members[0]!;
    const text = `port ${taken} is in use, so others were taken: export CAUCUS_URL=${url}`;
    this.#say('moved', id, text, { url });
  }

  /** Tells of something that the page did or refused. */
  note(event: string, id: number | null, text: string): void {
    this.#say(event, id, text);
  }

  #find(id: number): FleetMember | undefined {
    return this.members.find((member) => member.id === id);
  }

  #hear(member: FleetMember, line: string): void {
    let entry: Record<string, unknown>;
    try {
      entry = JSON.parse(line);
    } catch {
      this.#say('stdout', member.id, line);
      return;
    }
    const { event, text, id: _, at: __, ...fields } = entry;
    const isPaused = member.state === 'paused';
    const state = isPaused ? this.#before.get(member.id) : member.state;
    const become = (next: MemberState): void => {
      // The log line may have been written just before it was paused.
      if (isPaused) this.#before.set(member.id, next);
      else member.state = next;
    };
    if (event === 'ready') become('up');
    if (event === 'acting') {
      become('leading');
      member.token = fields.token === null ? null : String(fields.token);
    }
    if (event === 'elections') member.leads = Number(fields.leads);
    if (event === 'idle' && state === 'leading') become('up');
    this.#say(String(event), member.id, String(text), fields);
    if (event === 'elections') this.#tellProgress();
  }

  /** Soon after a change, and of many changes once. */
  #tellProgress(): void {
    this.#progress ??= setTimeout(() => {
      this.#progress = undefined;
      const { led, others } = this;
      if (led === this.#told || this.#isStopping) return;
      this.#told = led;
      this.#say('progress', null, progressWords(this), { led, of: others });
    }, PROGRESS_EVERY_MS);
  }

  #say(event: string, id: number | null, text: string, fields: object = {}): void {
    this.#tell({ at: new Date().toISOString(), event, id, text, ...fields });
  }
}

/** How many of the other elections have a leader. */
export function progressWords({ led, others }: Pick<Fleet, 'led' | 'others'>): string {
  return `${led} of ${others} elections have a leader`;
}
