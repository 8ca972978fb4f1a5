/** Shards among real members: the suite that engines pass too. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { Election } from '../../src/election/index.ts';
import { type Participant, shardConformance } from '../../src/engines/conformance/index.ts';
import type { Member } from '../../src/member/index.ts';
import { Cluster } from '../support/cluster.ts';

const IDS = ['a', 'b', 'c', 'd'];
let cluster: Cluster;
const free: Member[] = [];

beforeAll(async () => {
  // A longer lease than usual: four members share this process, and a short one is lost on a busy machine.
  cluster = await Cluster.start(IDS, { options: {}, timing: { timeoutMs: [3000, 6000] } });
  free.push(...cluster.members);
});
afterAll(() => cluster.close());

/** A member that takes part in the elections of one case; it stays for the next. */
function participate(): Participant {
  const member = free.shift()!;
  const elections: Election[] = [];
  return {
    name: String(member.id),
    seat: (name) => member.seat(name),
    opened: (election) => {
      member.opened(election);
      elections.push(election);
    },
    log: member.log,
    async close() {
      await Promise.allSettled(elections.map((each) => each.close()));
      free.push(member);
    },
  };
}

describe('shards among members', () => {
  const cases = shardConformance({
    leaseMs: 1500,
    open: participate,
    cannot: { crash: 'its members share this process: see the trials with real processes' },
  });
  for (const { name, skip, run } of cases) (skip === null ? it : it.skip)(name, run);
});
