/** Three processes with a schedule of a run each second, killed and stopped in the middle of their runs. */
import { describe, expect, it } from 'vitest';
import { OnceLab } from '../support/once-lab.ts';
import { onceSites } from '../support/once-sites.ts';
import { hasPostgres } from '../support/servers/postgres.ts';

const HARM_MS = 6000;

describe('three replicas that are killed and stopped while they work', () => {
  const names = hasPostgres() ? ['transaction', 'members'] : ['members'];
  it.each(names)('complete every occasion exactly once: %s', { timeout: 240_000 }, async (name) => {
    const site = await onceSites[name]!();
    const lab = new OnceLab(site.plans, 1);
    try {
      await lab.harm(HARM_MS);
      const { wrong, occasions } = await lab.judge();
      expect([...wrong, ...(await site.check(lab.occasions))]).toEqual([]);
      expect(occasions).toBeGreaterThan(5);
    } finally {
      await lab.close();
      await site.close();
    }
  });
});
