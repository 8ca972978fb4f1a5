/** Proof of death from another host, with real processes: each host has its own network and its own processes. */
import { afterEach, describe, expect, it } from 'vitest';
import { withoutNamespaces } from '../support/namespaces.ts';
import { HEARTBEAT_MS, type LabOptions, LEASE_MS, WitnessLab } from '../support/witness-lab.ts';

/** The lease of a leader runs for at least so long after its death: it was renewed with the last heartbeat. */
const LEASE_LEFT_MS = LEASE_MS - 2 * HEARTBEAT_MS;
const APART = {
  hosts: [['a'], ['b'], ['c']],
  candidates: ['a', 'b'],
  hasWitnesses: true,
  trusted: 'any',
  areTrusted: true,
};

let lab: WitnessLab | null = null;

afterEach(async () => {
  await lab?.close();
  lab = null;
});

function open(options: LabOptions): WitnessLab {
  lab = new WitnessLab(options);
  return lab;
}

const reason = withoutNamespaces();

describe.skipIf(reason !== null)(`members on three hosts${reason === null ? '' : ` (${reason})`}`, () => {
  it('replace a leader that was killed while its lease still runs, and only where its witness is trusted', async () => {
    const trusting = open({ ...APART, trusted: 'witness-1,witness-2,witness-3' });
    const leader = await trusting.ready();
    const witness = trusting.witnessOf(leader);
    const withWitness = await trusting.successor(trusting.signal(leader, 'SIGKILL'));
    expect(withWitness.afterMs, trusting.tell()).toBeLessThan(LEASE_LEFT_MS);
    expect(await trusting.history(withWitness.id)).toContain(
      `${leader} does not answer: its process is gone, witnessed by ${witness}`,
    );
    await trusting.close();

    const others = open({ ...APART, trusted: 'another', areTrusted: false });
    await others.until('the witnesses are told that they are not trusted', () =>
      others.ids.every((id) => others.has(others.witnessOf(id), 'is no witness that')),
    );
    const without = await others.successor(others.signal(await others.ready(), 'SIGKILL'));
    expect(without.afterMs, others.tell()).toBeGreaterThan(LEASE_LEFT_MS);
    process.stdout.write(
      `killed on another host: ${withWitness.afterMs} ms with a trusted witness, ${without.afterMs} ms without (lease ${LEASE_MS} ms)\n`,
    );
  }, 300_000);

  it('are told nothing of a leader that is stopped, and wait for the lease if the witness is dead too', async () => {
    const cluster = open(APART);
    const stopped = await cluster.ready();
    const { id: leader, afterMs } = await cluster.successor(cluster.signal(stopped, 'SIGSTOP'));
    expect(afterMs, cluster.tell()).toBeGreaterThan(LEASE_LEFT_MS);
    cluster.signal(stopped, 'SIGCONT');
    for (const id of cluster.ids) expect(cluster.has(id, 'witnessed'), cluster.tell()).toBe(false);
    expect(cluster.has(cluster.witnessOf(stopped), 'is gone'), cluster.tell()).toBe(false);

    await cluster.until(
      'the one that was stopped follows',
      async () => (await cluster.leaderOf(stopped)) === leader,
    );
    cluster.signal(cluster.witnessOf(leader), 'SIGKILL');
    const next = await cluster.successor(cluster.signal(leader, 'SIGKILL'));
    expect([next.id, next.afterMs > LEASE_LEFT_MS], cluster.tell()).toEqual([stopped, true]);
  }, 300_000);

  it('watch each other where two run on one host, and tell the members of the other hosts', async () => {
    const pairs = {
      hosts: [
        ['a', 'b'],
        ['c', 'd'],
      ],
      candidates: ['a', 'c'],
      hasWitnesses: false,
    };
    const trusting = open({ ...pairs, trusted: 'a,b,c,d' });
    const leader = await trusting.ready();
    const { id, afterMs } = await trusting.successor(trusting.signal(leader, 'SIGKILL'));
    expect(afterMs, trusting.tell()).toBeLessThan(LEASE_LEFT_MS);
    const far = 'ab'.includes(leader) ? ['c', 'd'] : ['a', 'b'];
    const near = trusting.ids.find((each) => each !== leader && !far.includes(each))!;
    await trusting.until('both on the other host were told', () =>
      far.every((each) => trusting.has(each, `the process of ${leader} is gone, witnessed by ${near}`)),
    );
    await trusting.close();

    const others = open({ ...pairs, trusted: null });
    const without = await others.successor(others.signal(await others.ready(), 'SIGKILL'));
    expect(without.afterMs, others.tell()).toBeGreaterThan(LEASE_LEFT_MS);
    process.stdout.write(`two on a host: ${afterMs} ms to ${id} with trust, ${without.afterMs} ms without\n`);
  }, 300_000);
});
