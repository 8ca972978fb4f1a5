/**
 * `npx tsx verify/once.ts [--minutes N] [--seed N] [SITE …]`: three replicas each of a service with node-cron, one with NestJS and of
 * `caucus cron`, with a run each second, which are killed, stopped and ended in the middle of their runs, on PostgreSQL (NestJS with a
 * transaction), Redis, etcd, one machine and members. Every occasion must be completed exactly once.
 */
import { parseArgs } from 'node:util';
import { OnceLab } from '../test/support/once-lab.ts';
import { onceSites } from '../test/support/once-sites.ts';
import { say } from './say.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string', default: '1' } },
});
const names = positionals.length > 0 ? positionals : Object.keys(onceSites);
for (const name of names) {
  const open = onceSites[name];
  if (open === undefined)
    throw new Error(`expected one of ${Object.keys(onceSites).join(', ')}, found ${name}`);
  const site = await open();
  const lab = new OnceLab(site.crews, Number(values.seed));
  try {
    await lab.harm(Number(values.minutes) * 60_000);
    for (const { driver, occasions, faults, twice, endedTwice, unfired, wrong } of await lab.judge()) {
      const all = [...wrong, ...(await site.check(driver, occasions))];
      const harm = Object.entries(faults).map(([fault, count]) => `${count} × ${fault}`);
      const began = `${twice.length} began more than once, and ${endedTwice} of these also ended more than once`;
      say(
        `${name}, ${driver}: ${occasions.length} occasions, ${harm.join(', ')}; ${began}; ${all.length} wrong`,
      );
      for (const line of twice) say(`  began more than once: ${line}`);
      for (const line of unfired) say(`  not fired by node-cron on any replica: ${line}`);
      for (const line of all) say(`  WRONG: ${line}`);
      if (all.length > 0) process.exitCode = 1;
    }
  } finally {
    await lab.close();
    await site.close();
  }
}
