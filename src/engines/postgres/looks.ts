import type { Clock } from '../../election/index.ts';
import type { Call } from '../lease/lease-store.ts';
import type { LeaseTimes } from '../lease/settings.ts';
import { type Share, SharedCall } from '../lease/shared-call.ts';
import type { Row } from './connection.ts';
import type { Link } from './link.ts';
import { isStandby } from './problems.ts';

/** So many rows are read with one statement. */
const MOST_READ = 1000;

interface LooksAround {
  readonly link: Link;
  readonly clock: Clock;
  readonly times: LeaseTimes;
  /** The server, for people. */
  readonly at: string;
  /** Reads rows: see `Statements`. */
  statement(): string;
}

/** Reads rows, one statement for many. */
export class Looks {
  readonly #around: LooksAround;
  readonly #shared: SharedCall<string, Row | undefined>;
  #shares = 0;

  constructor(around: LooksAround) {
    this.#around = around;
    const { clock, times } = around;
    this.#shared = new SharedCall({
      clock,
      everyMs: times.retryMs,
      callMs: times.callMs,
      lastsMs: Number.POSITIVE_INFINITY,
      most: MOST_READ,
      send: (elections, signal) => {
        const rows = this.#read(elections, signal);
        return elections.map(async (_, index) => (await rows)[index]);
      },
    });
  }

  /** Reads one row now. */
  async now(election: string, { signal }: Call): Promise<Row | undefined> {
    return (await this.#read([election], signal))[0];
  }

  /** For an election that polls. `tell` is called when its row was read with those of others. */
  add(election: string, tell: () => void): Share<Row | undefined> {
    this.#shares += 1;
    const share = this.#shared.add(election, this.#around.clock.now(), tell);
    return {
      ...share,
      end: () => {
        this.#shares -= 1;
        share.end();
      },
    };
  }

  /** Are there others with which a look is shared? */
  get areShared(): boolean {
    return this.#shares > 1;
  }

  async #read(elections: readonly string[], signal: AbortSignal): Promise<readonly (Row | undefined)[]> {
    const { link, at } = this.#around;
    const found = await link.query(() => this.#around.statement(), [elections], signal);
    // Behind a pooler, the next statement can reach another server. What a standby knows is outdated.
    if (found[0]?.standby === 'true') throw isStandby(at);
    const rows = new Map(found.map((row) => [Number(row.place), row]));
    return elections.map((_, index) => rows.get(index + 1));
  }
}
