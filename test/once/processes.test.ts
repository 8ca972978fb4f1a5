/** Three processes with a schedule of a run each second, killed and stopped in the middle of their runs. */
import { describe, expect, it } from 'vitest';
import { OnceLab } from '../support/once-lab.ts';
import { onceSites } from '../support/once-sites.ts';
import { hasPostgres } from '../support/servers/postgres.ts';

const HARM_MS = 6000;

describe('three replicas that are killed and stopped while they work', () => {
  const names = hasPostgres() ? ['postgres', 'members'] : ['members'];
  it.each(names)('complete every occasion exactly once: %s', { timeout: 240_000 }, async (name) => {
    const site = await onceSites[name]!(['nestjs', 'node-cron']);
    const lab = new OnceLab(site.crews, 1);
    try {
      await lab.harm(HARM_MS);
      for (const { driver, wrong, occasions } of await lab.judge()) {
        expect([...wrong, ...(await site.check(driver, occasions))]).toEqual([]);
        expect(occasions.length).toBeGreaterThan(5);
      }
    } finally {
      await lab.close();
      await site.close();
    }
  });
});
