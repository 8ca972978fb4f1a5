/** The seat of a program on a host (src/election/protocol-seat.ts): what it asks of the host, and what it tells the program. */
import type { Command, Outcome, View, Why } from '../../../src/core/index.ts';
import type * as Election from '../../../src/election/index.ts';
import type { Held, SeatHost, Standing } from '../../../src/election/index.ts';

type ElectionModule = typeof Election;

const ALL: readonly Command['type'][] = ['priority', 'campaign', 'resign', 'transfer', 'publish'];
const HELD: Held = { token: 5n, expiresAtMs: Number.POSITIVE_INFINITY };

/** A host that does what a rule says, and the seat of member a on it. */
class SeatBench implements SeatHost {
  readonly name = 'main';
  readonly protocol = 'script';
  readonly commands: readonly Command['type'][];
  view: View = { role: 'follower', leader: null, term: 5, lease: null, version: 0, value: null };
  held: Held | null = null;
  explanation: Why = { cause: 'started', detail: '' };
  outcome: Outcome = { status: 'done' };
  illness: string | null = null;
  isCurrent: boolean | null = null;
  readonly seat: Election.ProtocolSeat;
  readonly told: Standing[] = [];
  readonly #orders: string[] = [];
  readonly #listeners = new Set<() => void>();

  constructor({ ProtocolSeat }: ElectionModule, commands: readonly Command['type'][] = ALL) {
    this.commands = commands;
    this.seat = new ProtocolSeat(this, 'a', 3, (name) => name);
    this.seat.watch((standing) => this.told.push(standing));
  }

  order(command: Command, why?: Why): Promise<Outcome> {
    const priority = command.type === 'priority' ? ` ${command.priority}` : '';
    this.#orders.push(`${command.type}${priority}${why === undefined ? '' : `: ${why.detail}`}`);
    if (why !== undefined) this.follow(why);
    return Promise.resolve(this.outcome);
  }

  refusal(command: Command): string | null {
    return command.type === 'transfer' && command.to === 'c' ? 'c is not a member' : null;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  lead(): void {
    this.view = { ...this.view, role: 'leader', leader: 'a' };
    this.held = HELD;
    this.change();
  }

  follow(why: Why): void {
    this.view = { ...this.view, role: 'follower', leader: null };
    this.held = null;
    this.explanation = why;
    this.change();
  }

  change(): void {
    for (const listener of this.#listeners) listener();
  }

  /** What was asked of the host since the last call. */
  orders(): string {
    return this.#orders.splice(0).join(', ');
  }
}

/** The code of the error that this rejects with, and whether the command may have been carried out; null if it does not reject. */
async function failureOf(work: Promise<unknown>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    const { code, outcome } = error as Election.CaucusError;
    return code === 'E_FAILED' ? `${code} ${outcome}` : code;
  }
}

export const seatRules = {
  'a program that does not stand holds nothing'(election: ElectionModule): boolean {
    const bench = new SeatBench(election);
    bench.lead();
    const { held, leader } = bench.seat.standing;
    return held === null && leader === 'a';
  },
  'a program that stands is given its priority once, and asks where there is no leader'(
    election: ElectionModule,
  ): boolean {
    const bench = new SeatBench(election);
    bench.seat.stand();
    bench.seat.stand();
    return bench.orders() === 'priority 3, campaign';
  },
  'a program that stands disturbs no leader'(election: ElectionModule): boolean {
    const bench = new SeatBench(election);
    bench.view = { ...bench.view, leader: 'b' };
    bench.seat.stand();
    return bench.orders() === 'priority 3';
  },
  'a program that begins to stand is told what its member holds'(election: ElectionModule): boolean {
    const bench = new SeatBench(election);
    bench.lead();
    bench.seat.stand();
    return bench.told.at(-1)?.held === HELD;
  },
  'a leader whose lease ran out says that it stopped leading, not that it resigned'(
    election: ElectionModule,
  ): boolean {
    const bench = new SeatBench(election);
    bench.seat.stand();
    bench.lead();
    bench.orders();
    void bench.seat.resign({ cause: 'lease-expired', detail: 'the lease ran out and was not renewed' });
    return bench.orders() === 'resign: a stopped leading: the lease ran out and was not renewed';
  },
  'a leader whose lease ran out since its disk refuses records says that'(election: ElectionModule): boolean {
    const bench = new SeatBench(election);
    bench.seat.stand();
    bench.lead();
    bench.orders();
    bench.illness = 'read-only';
    void bench.seat.resign({ cause: 'lease-expired', detail: 'the lease ran out and was not renewed' });
    return bench.orders() === 'resign: a cannot write to its disk, so it did not renew its lease: read-only';
  },
  'a program that withdraws stands no more, says why, and is told why'(election: ElectionModule): boolean {
    const bench = new SeatBench(election);
    bench.seat.stand();
    bench.lead();
    bench.orders();
    void bench.seat.withdraw({ cause: 'resigned', detail: 'maintenance' });
    const loss = bench.told.find(
      (each, i) => each.held === null && i > 0 && bench.told[i - 1]!.held !== null,
    );
    return bench.orders() === 'priority 0: a resigned: maintenance' && loss?.cause === 'resigned';
  },
  'a program whose protocol knows no priorities gives up what it holds'(election: ElectionModule): boolean {
    const bench = new SeatBench(election, ['resign']);
    bench.seat.stand();
    bench.lead();
    void bench.seat.withdraw();
    return bench.orders() === 'resign';
  },
  'only a leader resigns'(election: ElectionModule): boolean {
    const bench = new SeatBench(election);
    bench.seat.stand();
    bench.orders();
    void bench.seat.resign();
    return bench.orders() === '';
  },
  async 'a protocol that cannot resign is not asked to'(election: ElectionModule): Promise<boolean> {
    const bench = new SeatBench(election, ['campaign']);
    bench.lead();
    return (await failureOf(bench.seat.resign())) === 'E_UNSUPPORTED' && bench.orders() === '';
  },
  async 'only a program that holds the lead publishes'(election: ElectionModule): Promise<boolean> {
    const bench = new SeatBench(election);
    bench.lead();
    return (await failureOf(bench.seat.publish(1))) === 'E_NOT_LEADER' && bench.orders() === '';
  },
  async 'a command that was not carried out is an error'(election: ElectionModule): Promise<boolean> {
    const bench = new SeatBench(election);
    bench.seat.stand();
    bench.lead();
    bench.outcome = { status: 'failed', reason: 'no majority', effect: 'indefinite' };
    const failed = await failureOf(bench.seat.publish(1));
    bench.outcome = { status: 'refused', reason: 'no' };
    return failed === 'E_FAILED indefinite' && (await failureOf(bench.seat.publish(1))) === 'E_REFUSED';
  },
  'a transfer that the host would refuse is refused beforehand'(election: ElectionModule): boolean {
    const { seat } = new SeatBench(election);
    return seat.refuseTransfer('b') === null && seat.refuseTransfer('c')?.code === 'E_REFUSED';
  },
  'a leader that may not act is shown to no program'(election: ElectionModule): boolean {
    const bench = new SeatBench(election);
    bench.lead();
    bench.held = null;
    const { leader, token } = bench.seat.standing;
    return leader === null && token === null;
  },
  'a standing is always as it is now'(election: ElectionModule): boolean {
    const bench = new SeatBench(election);
    bench.view = { ...bench.view, leader: 'b' };
    return bench.seat.standing.leader === 'b';
  },
  'a program is told each change once'(election: ElectionModule): boolean {
    const bench = new SeatBench(election);
    const changes = [
      () => (bench.view = { ...bench.view, leader: 'b' }),
      () => (bench.view = { ...bench.view, term: 6 }),
      () => (bench.view = { ...bench.view, version: 1, value: 'x' }),
      () => (bench.explanation = { cause: 'won', detail: '' }),
      () => (bench.explanation = { cause: 'won', detail: 'b leads' }),
    ];
    for (const change of changes) {
      change();
      bench.change();
      bench.change();
    }
    return bench.told.length === changes.length;
  },
  'a listener that was taken away is told nothing'(election: ElectionModule): boolean {
    const bench = new SeatBench(election);
    let told = 0;
    const stop = bench.seat.watch(() => {
      told += 1;
    });
    stop();
    bench.lead();
    return told === 0;
  },
  async 'a seat that is closed gives up, tells nothing more, and stands no more'(
    election: ElectionModule,
  ): Promise<boolean> {
    const bench = new SeatBench(election);
    bench.seat.stand();
    bench.lead();
    bench.orders();
    await bench.seat.close();
    const { length } = bench.told;
    bench.lead();
    const isRefused = (await failureOf((async () => bench.seat.stand())())) === 'E_CLOSED';
    const orders = bench.orders();
    return isRefused && orders.startsWith('priority 0') && bench.told.length === length;
  },
};
