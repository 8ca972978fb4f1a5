/** Shards among real members: the suite that engines pass too. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Election } from '../../src/election/index.ts';
import { type Participant, shardConformance } from '../../src/engines/conformance/index.ts';
import { Memory } from '../../src/engines/memory/memory.ts';
import { join, type Member } from '../../src/member/index.ts';
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

describe('the partitions of one member', () => {
  let member: Member;
  beforeAll(async () => {
    member = await join({ id: 'a', peers: [] });
  });
  afterAll(() => member.close());

  it('have names of their own: two of one name would own the same shards with the same tokens', async () => {
    const first = member.partition('orders', { shards: 2 });
    expect(() => member.partition('orders', { shards: 2 })).toThrow(
      expect.objectContaining({
        code: 'E_REFUSED',
        message: expect.stringContaining('use that one, or close it first'),
      }),
    );
    await member.partition('tenants', { shards: 2 }).close();
    await first.close();
    await member.partition('orders', { shards: 3 }).close();
  });

  it.each<[string, unknown, object]>([
    ['name', '', {}],
    ['name', 5, {}],
    ['name', 'y'.repeat(53), {}],
    ['shards', 'p', { shards: Number.NaN }],
    ['drainMs', 'p', { drainMs: -1 }],
    ['answerMs', 'p', { answerMs: Number.NaN }],
    ['settleMs', 'p', { settleMs: 'x' }],
  ])('are refused with a bad %s: %j %j', (where, name, options) => {
    expect(() => member.partition(name as string, { shards: 2, ...options })).toThrow(
      expect.objectContaining({ path: where }),
    );
  });

  it('say what was found where JSON has no word for it', () => {
    expect(() => member.partition('p', { shards: Number.NaN })).toThrow(/from 1 to 1000, found NaN$/);
  });

  it('are not owned with a signal that is none', async () => {
    const partition = member.partition('signals', { shards: 2 });
    await expect(partition.own(async () => {}, { signal: 5 as unknown as AbortSignal })).rejects.toThrow(
      /signal: expected an AbortSignal/,
    );
    await partition.close();
  });
});

it('a replica that was given another number of shards waits, and names the others alone', async () => {
  const memory = new Memory();
  const told: string[] = [];
  const stop = new AbortController();
  const [a, b] = ['a', 'b'].map((name) =>
    memory.engine({ name, log: ({ message }) => void (name === 'b' && told.push(message)) }),
  );
  const first = a!.partition('orders', { shards: 4, settleMs: 0 });
  const second = b!.partition('orders', { shards: 6 });
  const owning = [first.own(untilAborted, { signal: stop.signal })];
  for await (const { owners } of first.observe()) if (!owners.includes(null)) break;
  owning.push(second.own(untilAborted, { signal: stop.signal }));
  await vi.waitFor(() => expect(told).toHaveLength(1), 10_000);
  expect(told[0]).toMatch(/it has 4 shards on a, and b was given 6: waiting until that replica has ended$/);
  stop.abort();
  await Promise.all(owning);
  await Promise.all([a!.close(), b!.close()]);
});

async function untilAborted({ signal }: { readonly signal: AbortSignal }): Promise<void> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
