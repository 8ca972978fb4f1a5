/**
 * A cluster of members of an earlier release is upgraded member by member and downgraded again, in given orders, while processes are
 * stopped (SIGSTOP) and go on. `test/fixtures/releases` has what a member of that release needs, as it was built.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../src/core/index.ts';
import { DiskLab, type Watched } from './disk-lab.ts';
import { type GroundOf, loopback } from './ground.ts';

const RELEASE = path.resolve(import.meta.dirname, '../fixtures/releases/caucus-0.2.0-alpha.tar.gz');
/** Below the dependencies of the project, which are those of the release. */
const CACHE = path.resolve(import.meta.dirname, '../../node_modules/.cache/caucus-tests');
const VALUE = { published: 'first' };

/** A lease of 3.75 s, renewed every 1.5 s: a machine that stalls for two seconds changes nothing. */
const TIMING = { timeoutMs: [4500, 6500] };
/** What a takeover from a stopped leader may take. */
const TAKEOVER_MS = 30_000;

/** The builds between which members change. */
export class EarlierRelease {
  readonly #folder: string;

  constructor() {
    mkdirSync(CACHE, { recursive: true });
    this.#folder = mkdtempSync(path.join(CACHE, 'release-'));
    execFileSync('tar', ['xzf', RELEASE, '-C', this.#folder]);
  }

  /** The file to import. */
  get build(): string {
    return path.join(this.#folder, 'dist/member/index.js');
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}

export type Pause =
  | 'none'
  /** The leader is stopped until another one acts. */
  | 'leader'
  /** The leader is stopped for less than its lease. */
  | 'leader-briefly'
  /** Another member than the one that is restarted is stopped until that one is up again. */
  | 'bystander';

const PAUSES: readonly Pause[] = ['none', 'none', 'none', 'leader-briefly', 'bystander', 'leader'];

/** Draws the pauses of a run: as many as there are restarts. */
export function drawPauses(seed: number, count: number): readonly Pause[] {
  const random = new Random(seed, 'pauses');
  return Array.from({ length: count }, () => random.pick(PAUSES)!);
}

export interface Rolled {
  readonly restarts: number;
  /** Restarts of a member that led. */
  readonly leaders: number;
  readonly pauses: number;
  /** Leaderships that began after the first. */
  readonly changes: number;
  /** One for each restart of a leader, and for each pause that may have cost a leadership. */
  readonly allowed: number;
}

/**
 * One way up and one down. `orders` are functions of the first leader's id, or fixed. Throws if a member has no seat in time, a value was
 * lost, two could act, a token went back, or the leader changed more often than members that led were restarted or paused.
 */
export async function roll(
  earlier: EarlierRelease,
  members: number,
  [up, down]: readonly [Order, Order],
  pauses: readonly Pause[],
  groundOf: GroundOf = loopback,
): Promise<Rolled> {
  const lab = await DiskLab.open(members, true, { timing: TIMING }, groundOf);
  const rolling = new Rolling(lab);
  try {
    await Promise.all(lab.ids.map((id) => lab.start(id, { build: earlier.build })));
    await lab.leader(TAKEOVER_MS);
    await lab.allSeated(TAKEOVER_MS);
    await lab.publish(VALUE);
    const steps = [];
    for (const [order, build] of [
      [up, undefined],
      [down, earlier.build],
    ] as const) {
      const { id: leader } = await lab.leader(TAKEOVER_MS);
      for (const id of order(lab.ids, leader)) {
        steps.push(id);
        await rolling.restart(id, build, pauses[steps.length - 1] ?? 'none');
      }
    }
    lab.check();
    return rolling.rolled;
  } finally {
    await lab.close();
  }
}

export type Order = (ids: readonly string[], leader: string) => readonly string[];

/** One cluster whose members are restarted. */
class Rolling {
  readonly #lab: DiskLab;
  #restarts = 0;
  #leaders = 0;
  #pauses = 0;
  #allowed = 0;

  constructor(lab: DiskLab) {
    this.#lab = lab;
  }

  get rolled(): Rolled {
    return {
      restarts: this.#restarts,
      leaders: this.#leaders,
      pauses: this.#pauses,
      changes: this.#lab.tokens.length - 1,
      allowed: this.#allowed,
    };
  }

  /** Restarts a member with one release or the other. It hands over first, and is not waited for. */
  async restart(id: string, build: string | undefined, pause: Pause): Promise<void> {
    const lab = this.#lab;
    await this.#pauseLeader(pause);
    const leader = await lab.leader(TAKEOVER_MS);
    const member = lab.at(id);
    const isLeader = leader.id === id;
    const bystander = pause === 'bystander' ? this.#bystanderOf(id) : null;
    this.#restarts += 1;
    if (isLeader) this.#leaders += 1;
    if (isLeader) this.#allowed += 1;
    // Stopped, it cannot take over, and of three members no majority is left.
    if (bystander !== null && (isLeader || bystander.id === leader.id || lab.ids.length < 5))
      this.#allowed += 1;
    if (bystander !== null) this.#stop(bystander);
    await lab.stop(member);
    if (bystander === null) await lab.leader(TAKEOVER_MS);
    const wishes = build === undefined ? {} : { build };
    if (bystander === null) await lab.startKnown(id, wishes);
    else await lab.start(id, wishes);
    bystander?.signal('SIGCONT');
    await lab.leader(TAKEOVER_MS);
    await lab.allSeated(TAKEOVER_MS);
    await lab.shows(lab.at(id), VALUE);
    const { changes, allowed } = this.rolled;
    if (changes > allowed)
      throw new Error(
        `${changes} changes of leader, ${allowed} were due, after ${id} was restarted (pause: ${pause})\n${lab.tell()}`,
      );
  }

  #stop(watched: Watched): void {
    this.#pauses += 1;
    watched.signal('SIGSTOP');
  }

  async #pauseLeader(pause: Pause): Promise<void> {
    if (pause !== 'leader' && pause !== 'leader-briefly') return;
    const lab = this.#lab;
    const leader = await lab.leader(TAKEOVER_MS);
    this.#stop(leader);
    try {
      if (pause === 'leader') {
        this.#allowed += 1;
        await lab.leader(TAKEOVER_MS);
      } else await sleep(400);
    } finally {
      leader.signal('SIGCONT');
    }
    await lab.leader(TAKEOVER_MS);
    await lab.allSeated(TAKEOVER_MS);
  }

  #bystanderOf(id: string): Watched {
    const others = this.#lab.ids.filter((other) => other !== id);
    return this.#lab.at(others[this.#restarts % others.length]!);
  }
}
