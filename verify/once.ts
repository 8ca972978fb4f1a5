/**
 * `npx tsx verify/once.ts [--minutes N] [--seed N] [SITE …]`: three replicas with a schedule of a run each second, which are killed, stopped and ended in the
 * middle of their runs, on PostgreSQL (also with a transaction), Redis, etcd, one machine and members. Every occasion must be completed exactly once.
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
  const lab = new OnceLab(site.plans, Number(values.seed));
  try {
    await lab.harm(Number(values.minutes) * 60_000);
    const verdict = await lab.judge();
    const wrong = [...verdict.wrong, ...(await site.check(lab.occasions))];
    const faults = Object.entries(verdict.faults).map(([fault, count]) => `${count} × ${fault}`);
    say(
      `${name}: ${verdict.occasions} occasions, ${faults.join(', ')}; ${verdict.twice.length} began more than once; ${wrong.length} wrong`,
    );
    for (const line of verdict.twice) say(`  began more than once: ${line}`);
    for (const line of wrong) say(`  WRONG: ${line}`);
    if (wrong.length > 0) process.exitCode = 1;
  } finally {
    await lab.close();
    await site.close();
  }
}
