/**
 * Storms in which the successors of leaders are elected in advance: five of 24. They meet the moments in which a deputy
 * takes over: a member is made the leader, something happens to it, to its deputy or to what they say to each other, and
 * then it dies with proof or hands over. All of it is drawn from a separate random stream, so that the rest of a seed's
 * storm stays as it is.
 */
import { type Definition, type MemberId, Random } from '../../core/index.ts';
import type { Action, WorldEvent } from '../scenario.ts';
import { at } from './damage.ts';
import type { Storm } from './storm.ts';

/** Of so many seeds in a row, the last ones from this one on. */
const OF = 24;
const FROM = 19;

export function withDeputies(storm: Storm, { memberSettings, messages }: Definition): Storm {
  if (memberSettings?.deputies === undefined || storm.seed % OF < FROM) return storm;
  if (storm.members.length < 3) return storm;
  const random = new Random(storm.seed, 'deputies');
  // In some storms a member takes no part, as if it were of an earlier release.
  const without = random.chance(0.15) ? random.below(storm.members.length) : -1;
  const members = storm.members.map((member, i) => (i === without ? member : { ...member, deputies: true }));
  const types = Object.keys(messages);
  const faults = [...storm.faults];
  const { stopMs } = storm;
  for (let times = random.between(1, 5); times > 0; times--)
    faults.push(...drawSuccession(storm, stopMs * random.fraction(), types, random));
  const within = faults.filter((event) => event.atMs < stopMs).sort((a, b) => a.atMs - b.atMs);
  return { ...storm, members, faults: within };
}

function drawSuccession(
  { members, timeoutMs }: Storm,
  atMs: number,
  types: readonly string[],
  random: Random,
): WorldEvent[] {
  const ids = members.map(({ id }) => id);
  // If some members never lead, one that may lead stays a member: otherwise no leader could be expected.
  const mayRemove = members.every(({ priority }) => priority !== 0);
  const leader = random.pick(ids)!;
  // Some heartbeats later it has a deputy.
  const deathMs = atMs + timeoutMs * (0.3 + 2 * random.fraction());
  const beforeMs = deathMs - timeoutMs * random.pick([0, 0.05, 0.3, 1])! * random.fraction();
  const events = [at(atMs, { do: 'transfer', to: leader })];
  for (let times = random.between(0, 2); times > 0; times--)
    events.push(
      ...drawDisturbance(ids, leader, Math.max(atMs, beforeMs), timeoutMs, types, mayRemove, random),
    );
  return [...events, ...drawEnd(ids, leader, deathMs, timeoutMs, random)];
}

/** Something that happens while a deputy stands by. */
function drawDisturbance(
  ids: readonly MemberId[],
  leader: MemberId,
  atMs: number,
  timeoutMs: number,
  types: readonly string[],
  mayRemove: boolean,
  random: Random,
): WorldEvent[] {
  const other = random.pick(ids.filter((id) => id !== leader)) ?? leader;
  const laterMs = atMs + timeoutMs * random.pick([0.1, 0.5, 2])! * random.fraction();
  const type = random.pick(types.filter((each) => random.chance(0.5) || each.startsWith('deputy')))!;
  const count = random.between(1, 6);
  const draws: readonly (() => WorldEvent[])[] = [
    () => [at(atMs, { do: 'hold', type, count }), at(laterMs, { do: 'release', count })],
    () => [at(atMs, { do: random.pick(['drop', 'duplicate'] as const)!, type, count })],
    () => [at(atMs, { do: 'publish', value: random.below(100) })],
    () => [at(atMs, { do: 'pause', member: other }), at(laterMs, { do: 'resume', member: 'all' })],
    () => [at(atMs, { do: 'cut', from: leader, to: other }), at(laterMs, { do: 'heal' })],
    () => [at(atMs, { do: 'cut', from: other, to: leader, oneWay: true }), at(laterMs, { do: 'heal' })],
    () => [at(atMs, { do: 'restart', member: other })],
    () => [at(atMs, { do: 'campaign', member: other })],
    () => [at(atMs, { do: 'transfer', to: other })],
    () =>
      mayRemove ? [at(atMs, { do: 'remove', member: other }), at(laterMs, { do: 'add', member: other })] : [],
    // A voter whose disk stalls, and which crashes around a vote that has left, or is about to.
    () => [
      at(atMs, { do: 'disk', member: other, fault: 'stall' }),
      at(laterMs, { do: 'restart', member: other }),
      at(laterMs, { do: 'disk', member: 'all', fault: 'none' }),
    ],
  ];
  return random.pick(draws)!();
}

/** The leader dies, and some members know it; or it hands over. */
function drawEnd(
  ids: readonly MemberId[],
  leader: MemberId,
  atMs: number,
  timeoutMs: number,
  random: Random,
): WorldEvent[] {
  const soon = (): number => atMs + timeoutMs * random.pick([0, 0.02, 0.2, 1])! * random.fraction();
  const ends: readonly Action[] = [
    { do: 'resign', member: leader },
    { do: 'transfer', to: random.pick(ids)! },
  ];
  if (random.chance(0.25)) return [at(atMs, random.pick(ends)!)];
  const told: readonly MemberId[] = random.chance(0.5) ? ids.filter(() => random.chance(0.5)) : ['all'];
  const proofs = told.map((member) =>
    at(soon(), { do: 'evidence', member, peer: leader, gone: true, proof: true }),
  );
  // Proof about a process that has started again would be wrong.
  const againMs = Math.max(atMs, ...proofs.map((proof) => proof.atMs)) + timeoutMs * random.fraction();
  return [
    ...(random.chance(0.2) ? [at(soon(), random.pick(ends)!)] : []),
    at(atMs, { do: 'crash', member: leader }),
    ...proofs,
    ...(random.chance(0.8) ? [at(againMs, { do: 'restart', member: leader })] : []),
  ];
}
