/** Real processes with data folders whose wall clocks are wrong. */
import { afterEach, describe, expect, it } from 'vitest';
import { DiskLab } from '../support/disk-lab.ts';

const HOUR_MS = 3_600_000;
const FIRST = { published: 'first' };

let lab: DiskLab;

afterEach(async () => {
  await lab.close();
});

describe.each([3, 5])('%d members with data folders', (size) => {
  it('ask no wall clock: it is set back by an hour between restarts', async () => {
    lab = await DiskLab.settled(size, true);
    // One after the other, the leader last; then with all at once.
    const leader = await lab.leader();
    const others = lab.ids.filter((id) => id !== leader.id);
    for (const id of [...others, leader.id]) {
      await lab.whileDown(lab.at(id), () => {}, { setBackMs: HOUR_MS });
      expect(lab.at(id).log.join('\n')).not.toContain('refused');
    }
    await Promise.all(lab.ids.map((id) => lab.kill(lab.at(id))));
    await Promise.all(lab.ids.map((id) => lab.start(id, { setBackMs: 2 * HOUR_MS })));
    await lab.leader();
    await lab.allSeated();
    await lab.survivesNext(FIRST);
    lab.check();
  });
});
