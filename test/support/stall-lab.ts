/** Three programs, each with a member in a thread of its own. The main thread of the first one, which leads, is kept busy. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { type Ground, type GroundOf, loopback } from './ground.ts';

const PROGRAM = path.resolve(import.meta.dirname, 'stalling-program.js');
/** Long enough for a machine on which a thread has to wait for a second until it runs. */
const TIMING = { heartbeatMs: 400, timeoutMs: [4500, 6000], leaseMs: 3700 };

interface Stalled {
  readonly token: string;
  /** When it last could act during the stall, in microseconds of the clock that all processes share; 0 if never. */
  readonly lastValidUs: number;
  /** Could it act right after the stall? */
  readonly after: boolean;
  readonly cause: string | null;
}

/** What a program says. */
type Said = Partial<Stalled> & {
  readonly up?: true;
  readonly leads?: string;
  /** When a program that was told to campaign could certainly act, by the same clock. */
  readonly actsFromUs?: number;
};

export class StallLab {
  readonly #ground: Ground;
  readonly #programs: readonly ChildProcess[];

  private constructor(ground: Ground, programs: readonly ChildProcess[]) {
    this.#ground = ground;
    this.#programs = programs;
  }

  /** Settles when the first program leads. */
  static async open(maxStallMs: number, groundOf: GroundOf = loopback): Promise<StallLab> {
    const ground = await groundOf(3);
    const peers = ground.listens.map(({ host, port }, i) => ({
      id: 'abc'[i]!,
      url: `http://${host}:${port}`,
    }));
    const programs = peers.map(({ id }, i) => {
      const options = { ...ground.options, peers, timing: TIMING, id, maxStallMs, leads: i === 0 };
      const listen = ground.listens[i];
      return ground.place(i).spawn([process.execPath, PROGRAM, JSON.stringify({ ...options, listen })], {
        stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      });
    });
    const lab = new StallLab(ground, programs);
    await lab.#says(0, ({ leads }) => leads !== undefined);
    return lab;
  }

  /** Keeps the main thread of the program busy. Settles once it has time again. */
  async stall(stallMs: number): Promise<Stalled> {
    const said = this.#says(0, ({ after }) => after !== undefined);
    this.#order(0, 'stall', stallMs);
    return (await said) as Stalled;
  }

  /** Lets another program stand, and settles when it acts. */
  async otherActs(): Promise<number> {
    const said = this.#says(1, ({ actsFromUs }) => actsFromUs !== undefined);
    this.#order(1, 'campaign');
    return (await said).actsFromUs!;
  }

  /** The other program stands no more. */
  withdrawOther(): void {
    this.#order(1, 'withdraw');
  }

  /** The other program resigns. Settles when the first one leads again. */
  async leadsAgain(): Promise<void> {
    const leads = this.#says(0, (said) => said.leads !== undefined);
    this.#order(1, 'resign');
    await leads;
  }

  async close(): Promise<void> {
    const gone = this.#programs.map((program) => once(program, 'exit'));
    for (const place of this.#programs.keys()) this.#order(place, 'close');
    await Promise.all(gone);
    this.#ground.remove();
  }

  #order(place: number, ...order: readonly (string | number)[]): void {
    this.#programs[place]!.send(order);
  }

  #says(place: number, isIt: (said: Said) => boolean): Promise<Said> {
    const program = this.#programs[place]!;
    return new Promise((resolve, reject) => {
      const onExit = (): void => reject(new Error('the program has ended'));
      const listen = (said: Said): void => {
        if (!isIt(said)) return;
        program.off('message', listen);
        program.off('exit', onExit);
        resolve(said);
      };
      program.on('message', listen);
      program.once('exit', onExit);
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
  const acts = lab.otherActs();
  acts.catch(() => {});
  const stalled = lab.stall(stallMs);
  const first = await Promise.race([
    acts.then(() => 'other' as const),
    stalled.then(() => 'stalled' as const),
  ]);
  if (first === 'stalled') {
    lab.withdrawOther();
    return 'no other took over during the stall';
  }
  const fromUs = await acts;
  const { lastValidUs, after, cause } = await stalled;
  await lab.leadsAgain();
  if (after) return 'assert() did not throw after the stall';
  if (cause !== 'event-loop-blocked') return `it was lost for another reason: ${cause}`;
  if (lastValidUs >= fromUs) return `it could act ${lastValidUs - fromUs} µs after another began`;
  return null;
}
