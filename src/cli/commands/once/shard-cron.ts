/** `caucus cron --shards M`: each fire time once for each shard, by the member that owns it. */
import { Partition, type ShardOccasion, type ShardScheduleOptions } from '../../../election/index.ts';
import type { Log } from '../../terminal/log.ts';
import { type CommandLine, KeptCommand } from '../run/kept-command.ts';
import type { Place } from '../run/place.ts';
import { KeptWork } from './kept-work.ts';

type Line = Pick<CommandLine, 'command' | 'args'>;

/** The commands of all shards that run now, each behind a keeper of its own. */
export class ShardCron {
  /** A command could not be guarded any more. */
  hasFailed = false;
  readonly #partition: Partition;
  readonly #line: Line;
  readonly #times: { readonly killAfterMs: number; readonly settleMs: number };
  readonly #log: Log;
  readonly #running = new Set<KeptWork>();

  constructor(
    place: Place,
    { shards, drainMs }: { readonly shards: number; readonly drainMs: number },
    line: Line,
    times: { readonly killAfterMs: number; readonly settleMs: number },
    log: Log,
  ) {
    this.#partition = new Partition(place.election.name, place.engine, { shards, drainMs });
    this.#line = line;
    this.#times = times;
    this.#log = log;
  }

  /** How many commands run. */
  get running(): number {
    return this.#running.size;
  }

  /** Ends all commands at once. What they have not done is run again, perhaps elsewhere. */
  endNow(): void {
    for (const kept of this.#running) kept.endNow();
  }

  /** `failed`: ends everything. */
  async run(
    schedule: string,
    options: ShardScheduleOptions,
    failed: (detail: string) => void,
  ): Promise<void> {
    try {
      await this.#partition.schedule(schedule, (occasion) => this.#work(occasion, failed), options);
    } finally {
      await this.#partition.close();
    }
  }

  async #work(occasion: ShardOccasion, failed: (detail: string) => void): Promise<void> {
    const { name, self, shards } = this.#partition;
    const { shard } = occasion;
    // Several shards are at work at the same time, with the same occasion.
    const log: Log = (entry) => this.#log({ ...entry, text: `shard ${shard}: ${entry.text}`, shard });
    const kept = new KeptWork(this.#line, this.#times, log);
    const keeper = await KeptCommand.open(() => {
      kept.fail();
      this.hasFailed = true;
      const text = 'the keeper of the command was killed: stopping';
      log({ level: 'error', event: 'keeper-lost', text });
      failed('its command could no longer be guarded');
    });
    kept.open(keeper);
    this.#running.add(kept);
    try {
      const more = { CAUCUS_SHARD: String(shard), CAUCUS_SHARDS: String(shards) };
      await kept.workFor({ name, self }, more)(occasion);
    } finally {
      this.#running.delete(kept);
      await keeper.close();
    }
  }
}
