/** Real voters in network namespaces of their own. `npx tsx verify/voters.ts` plays many more rounds. */
import { afterEach, describe, expect, it } from 'vitest';
import { Random } from '../../src/core/index.ts';
import { certifiedStart, roundOfSix } from '../support/disorder.ts';
import { withoutNamespaces } from '../support/namespaces.ts';
import { VotersApart } from '../support/voters-apart.ts';

const reason = withoutNamespaces();
if (reason !== null) process.stderr.write(`SKIPPED: voters in network namespaces, since ${reason}\n`);

let voters: VotersApart | null = null;
afterEach(async () => {
  await voters?.close();
  voters = null;
});

// Processes may need many seconds to start on a busy machine.
const LONG_MS = 900_000;

describe.skipIf(reason !== null)('voters on addresses of their own', { timeout: LONG_MS }, () => {
  it('find each other from a seed host alone, whatever is cut and lost meanwhile', async () => {
    voters = new VotersApart(6, []);
    await roundOfSix(voters, new Random(1, 'lists'));
  });

  it('never have two certified leaders of one election', async () => {
    voters = new VotersApart(5, ['quorum=true', 'voters=5']);
    await certifiedStart(voters, new Random(2, 'certified'));
    expect(voters.shared).toEqual([]);
    expect(voters.wins.length).toBeGreaterThan(0);
  });
});
