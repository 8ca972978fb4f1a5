/**
 * What happens to voters in network namespaces (`voters-apart.ts`), drawn at random: the order in which they start,
 * what is lost and cut meanwhile, and who leaves. Used by the tests, and for many rounds by `verify/voters.ts`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../src/core/index.ts';
import type { VotersApart } from './voters-apart.ts';

const FIVE = [1, 2, 3, 4, 5] as const;

/**
 * They start in a random order, while packets are lost and pairs of them are cut off from each other; with `kills`,
 * some are killed meanwhile and start again. All is healed some time after the last one is up.
 */
export async function startInDisorder(
  voters: VotersApart,
  random: Random,
  { kills = false }: { readonly kills?: boolean } = {},
): Promise<string> {
  const left: number[] = [...FIVE];
  const told: string[] = [];
  while (left.length > 0) {
    if (random.chance(0.4)) {
      const [a, b] = [random.pick(FIVE)!, random.pick(FIVE)!];
      if (a !== b) {
        voters.lab.cut(a, b);
        told.push(`cut ${a}-${b}`);
      }
    }
    if (random.chance(0.3)) {
      const host = random.pick(FIVE)!;
      voters.lab.lose(host, 0.1 + 0.3 * random.fraction());
      told.push(`loss at ${host}`);
    }
    const [next] = left.splice(random.below(left.length), 1);
    voters.start(next!);
    told.push(`start ${next}`);
    await sleep(random.between(0, 700));
    if (kills && random.chance(0.3)) {
      const victim = random.pick(voters.running)!;
      await voters.kill(victim);
      left.push(victim);
      told.push(`kill ${victim}`);
    }
  }
  // A process may need seconds to start on a busy machine: what is cut has to be cut while it looks for the others.
  await Promise.all(FIVE.map((voter) => voters.up(voter)));
  await sleep(random.between(0, 3000));
  voters.lab.heal();
  return told.join(', ');
}

/**
 * A whole life: five voters start in disorder, a sixth joins late, one is removed by request, and one dies for good.
 * After each step all that are left have one list and one leader. Returns what was done.
 */
export async function roundOfSix(voters: VotersApart, random: Random): Promise<string> {
  const told = await startInDisorder(voters, random);
  await voters.agree(FIVE, `after ${told}`);
  voters.start(6);
  const six = [...FIVE, 6];
  await voters.agree(six, 'a sixth has joined');
  const removed = random.pick(six)!;
  const asked = random.pick(six.filter((each) => each !== removed))!;
  await voters.remove(removed, asked);
  const rest = six.filter((each) => each !== removed);
  await voters.agree(rest, `v${removed} was removed`);
  let out = await voters.status(removed);
  // The removal is repeated for some heartbeats: the voter itself may be the last to hear of it.
  for (let tries = 0; out?.role !== 'none' && tries < 50; tries++) {
    await sleep(200);
    out = await voters.status(removed);
  }
  if (out?.role !== 'none' || out.cause !== 'removed')
    throw new Error(`v${removed} was removed, but is ${out?.role} (${out?.cause})`);
  const dead = random.pick(rest)!;
  await voters.kill(dead);
  await voters.agree(
    rest.filter((each) => each !== dead),
    `v${dead} has died`,
  );
  return `${told}; removed v${removed} at v${asked}, killed v${dead}`;
}

/**
 * Five voters with `quorum` start in disorder, and then worse befalls them: never do two processes lead with one token,
 * and in the end one leads.
 */
export async function certifiedStart(voters: VotersApart, random: Random): Promise<string> {
  const told = [await startInDisorder(voters, random, { kills: true })];
  let leader = await voters.agree(FIVE, `after ${told}`);
  for (let i = random.between(1, 2); i > 0; i--) {
    told.push(await harm(voters, numberOf(leader), random));
    leader = await voters.agree(FIVE, `after ${told.join('; ')}`);
  }
  if (voters.shared.length > 0)
    throw new Error(`two leaders of one token: ${JSON.stringify(voters.shared)} after ${told.join('; ')}`);
  return told.join('; ');
}

async function harm(voters: VotersApart, leader: number, random: Random): Promise<string> {
  switch (random.below(5)) {
    case 0: {
      // With the leader or without it: a minority has no leader for long, and never one of the same token.
      const [second, third] = FIVE.filter((voter) => voter !== leader);
      const minority = [random.chance(0.5) ? leader : third!, second!];
      for (const a of minority) for (const b of FIVE) if (!minority.includes(b)) voters.lab.cut(a, b);
      await sleep(random.between(1000, 5000));
      voters.lab.heal();
      return `${minority.join(' and ')} cut off`;
    }
    case 1:
      voters.pause(leader);
      await sleep(random.between(500, 5000));
      voters.resume(leader);
      return `the leader ${leader} stood still`;
    case 2:
      await voters.kill(leader);
      await sleep(random.between(0, 3000));
      voters.start(leader);
      return `the leader ${leader} was killed and started again`;
    case 3: {
      const victim = random.pick(FIVE)!;
      await voters.kill(victim);
      voters.wipe(victim);
      voters.start(victim);
      return `${victim} lost its disk`;
    }
    default:
      await Promise.all(voters.running.map((voter) => voters.kill(voter)));
      return `all were killed; ${await startInDisorder(voters, random, { kills: true })}`;
  }
}

function numberOf(id: string): number {
  return Number(id.slice(1));
}
