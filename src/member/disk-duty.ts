import type { Why } from '../core/index.ts';
import { expectDone } from '../election/index.ts';
import type { Store } from './data-folder.ts';
import { DiskWatch } from './disk-watch.ts';
import type { ElectionHost } from './election-host.ts';
import type { Elections } from './elections.ts';
import type { Settled } from './options.ts';
import { configInForce } from './retiming.ts';
import { settingsOf } from './rules.ts';
import type { Occupant } from './steward.ts';

interface Around {
  readonly hosts: Elections;
  readonly store: Store;
  /** The elections of the program under this name. */
  elections(name: string): readonly Occupant[];
  changed(): void;
}

/**
 * What a member does when its disk does not take writes: it resigns everything that it leads, and stands for nothing
 * until the disk answers again. Null if it has no data folder.
 */
export function watchDisk(settled: Settled, around: Around): DiskWatch | null {
  const { id, data, log } = settled;
  if (data === null) return null;
  const { hosts } = around;
  const setAside = (why: Why | null): void => {
    for (const host of [...hosts.list]) host.setAside(why);
    around.changed();
  };
  return new DiskWatch({
    folder: data,
    leaseMs: () => {
      const { leaseMs } = settingsOf(settled.definition, configInForce(settled, hosts.retimed)).timing;
      return typeof leaseMs === 'number' ? leaseMs : null;
    },
    assertOurs: () => around.store.assertOurs(),
    leads: () => hosts.leads,
    failed: (problem) => {
      log({ level: 'error', message: `${id} resigns what it leads: ${problem}` });
      const why: Why = { cause: 'disk-failed', detail: `${id} cannot write to its disk: ${problem}` };
      const led = hosts.list.filter(({ held }) => held !== null);
      setAside(why);
      for (const host of led) void stopLeading(host, around.elections(host.name), why);
    },
    recovered: () => {
      log({ level: 'info', message: `the disk of ${id} takes writes again` });
      setAside(null);
    },
  });
}

/** In the usual order: the work stops, or has had its time to stop, and then the leadership is released. */
async function stopLeading(host: ElectionHost, elections: readonly Occupant[], why: Why): Promise<void> {
  const occupied = elections.find(({ occupation }) => occupation !== null);
  const ending = occupied?.occupation?.ending ?? null;
  if (occupied === undefined || ending !== null) {
    await ending;
    await host.giveUp();
    return;
  }
  // A release that failed is tried again by the election.
  await occupied.end(why, async () => expectDone(await host.giveUp(), 'resign')).catch(() => {});
}
