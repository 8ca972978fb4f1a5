/** Three members, one of them in a thread of a program whose main thread is kept busy. The other two are of this process. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Election } from '../../src/election/index.ts';
import { join, type Member } from '../../src/member/index.ts';
import { freePorts } from './free-ports.ts';

const PROGRAM = path.resolve(import.meta.dirname, 'stalling-program.js');
/** Long enough for a machine on which a thread has to wait for a second until it runs. */
const TIMING = { heartbeatMs: 400, timeoutMs: [4500, 6000], leaseMs: 3700 };

export interface Stalled {
  readonly token: string;
  /** When it last could act during the stall, in microseconds of the clock that all processes share; 0 if never. */
  readonly lastValidUs: number;
  /** Could it act right after the stall? */
  readonly after: boolean;
  readonly cause: string | null;
}

type Said = Partial<Stalled> & { readonly up?: true; readonly leads?: string };

export class StallLab {
  readonly #program: ChildProcess;
  readonly #members: readonly Member[];

  private constructor(program: ChildProcess, members: readonly Member[]) {
    this.#program = program;
    this.#members = members;
  }

  /** Settles when the program leads. */
  static async open(maxStallMs: number): Promise<StallLab> {
    const ports = await freePorts(3);
    const peers = ports.map((port, i) => ({ id: 'abc'[i]!, url: `http://127.0.0.1:${port}` }));
    const options = { peers, timing: TIMING };
    const program = fork(PROGRAM, [JSON.stringify({ ...options, id: 'a', maxStallMs })]);
    const lab = new StallLab(program, await Promise.all(['b', 'c'].map((id) => join({ ...options, id }))));
    await lab.#says(({ leads }) => leads !== undefined);
    return lab;
  }

  /** An election of a member whose thread is not stalled. */
  get other(): Election {
    return this.#members[0]!.election('job');
  }

  /** Keeps the main thread of the program busy. Settles once it has time again. */
  async stall(stallMs: number): Promise<Stalled> {
    const said = this.#says(({ after }) => after !== undefined);
    this.#program.send({ stallMs });
    return (await said) as Stalled;
  }

  /** Settles when the program leads again. */
  async leadsAgain(release: () => Promise<void>): Promise<void> {
    const leads = this.#says(({ leads }) => leads !== undefined);
    await release();
    await leads;
  }

  async close(): Promise<void> {
    const gone = once(this.#program, 'exit');
    this.#program.send({ close: true });
    await gone;
    await Promise.all(this.#members.map((member) => member.close()));
  }

  #says(isIt: (said: Said) => boolean): Promise<Said> {
    return new Promise((resolve, reject) => {
      const onExit = (): void => reject(new Error('the program has ended'));
      const listen = (said: Said): void => {
        if (!isIt(said)) return;
        this.#program.off('message', listen);
        this.#program.off('exit', onExit);
        resolve(said);
      };
      this.#program.on('message', listen);
      this.#program.once('exit', onExit);
    });
  }
}

/** One stall that it survives: says what is wrong, or null. */
export async function keepsThrough(lab: StallLab, stallMs: number): Promise<string | null> {
  const { after, cause } = await lab.stall(stallMs);
  return after ? null : `it lost the leadership (${cause})`;
}

/** One stall that it does not: another takes over meanwhile. Says what is wrong, or null. The program leads again after it. */
export async function losesBefore(lab: StallLab, stallMs: number): Promise<string | null> {
  const stop = new AbortController();
  const next = lab.other.campaign({ signal: stop.signal }).then(async (leadership) => {
    leadership.assert();
    return { leadership, fromUs: Number(process.hrtime.bigint() / 1000n) };
  });
  next.catch(() => {});
  const stalled = lab.stall(stallMs);
  const first = await Promise.race([
    next.then(() => 'other' as const),
    stalled.then(() => 'stalled' as const),
  ]);
  if (first === 'stalled') {
    stop.abort();
    return 'no other took over during the stall';
  }
  const { leadership, fromUs } = await next;
  const { lastValidUs, after, cause } = await stalled;
  await lab.leadsAgain(() => leadership.resign());
  if (after) return 'assert() did not throw after the stall';
  if (cause !== 'event-loop-blocked') return `it was lost for another reason: ${cause}`;
  if (lastValidUs >= fromUs) return `it could act ${lastValidUs - fromUs} µs after another began`;
  return null;
}
