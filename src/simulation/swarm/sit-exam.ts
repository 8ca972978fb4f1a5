import { type MemberId, majority } from '../../core/index.ts';
import { boundedFailover, STEPS_DOWN_WITHIN, stability, steppingDown } from '../../properties/index.ts';
import type { Host } from '../host.ts';
import type { Stretch } from '../ledger.ts';
import { toMs } from '../time.ts';
import type { World } from '../world.ts';
import { takesPart } from './disagreement.ts';
import { type Trial, trialsOf } from './exam.ts';
import type { Failure } from './failure.ts';
import { calmMsOf, type Storm } from './storm.ts';

/** Runs the exam of a cluster at rest, and returns the promise it broke, if any. */
export function sitExam(storm: Storm, world: World): Failure | null {
  for (const trial of trialsOf(calmMsOf(storm), storm)) {
    const failure = sitTrial(trial, storm, world);
    if (failure !== null && world.protocol.liveness?.some((each) => each === failure.property))
      return failure;
  }
  return null;
}

function sitTrial(trial: Trial, storm: Storm, world: World): Failure | null {
  // Once the others had the time to elect a leader, only what the preferred member does beside it is judged.
  world.runUntil(trial.preferred === undefined ? trial.fromMs : trial.backMs);
  const leader = world.hosts.get(world.leaders[0] ?? '');
  if (leader === undefined) return null;
  const claim = world.claims.of(leader.id)!;
  const voters = leader.view.members ?? [...world.hosts.keys()];
  const heard = voters.filter((id) => hear(world, leader.id, id) && id !== trial.preferred);
  const isEnough = heard.length >= majority(voters.length);
  // Of three members, the preferred one and the leader are a majority: then it may take over.
  if (trial.preferred !== undefined && (!isEnough || majority(voters.length) <= 2)) return null;
  if (isEnough) return staysLeader(trial, claim, world);
  const others = voters.filter((id) => !heard.includes(id) && takesPart(world, id));
  // An order of the storm that has not matched so far may still catch the votes.
  const mayBeReplaced =
    others.length >= majority(voters.length) &&
    others.some((id) => mayLead(storm, id)) &&
    !world.network.isCatching;
  return losesTheLead(trial, claim, leader, mayBeReplaced, storm, world);
}

function hear(world: World, a: MemberId, b: MemberId): boolean {
  return a === b || (world.network.connected(a, b) && world.network.connected(b, a));
}

function mayLead({ members }: Storm, id: MemberId): boolean {
  return members.find((member) => member.id === id)?.priority !== 0;
}

/** A member that is cut off, and comes back, must not disturb the others while the leader has its majority. */
function staysLeader({ endMs }: Trial, claim: Stretch, world: World): Failure | null {
  const before = world.claims.stretches.length;
  world.runUntil(endMs);
  const other = world.claims.stretches[before] ?? null;
  const { member: leader, term } = claim;
  const found = stability.judge({ leader, term, hasGivenUp: claim.toUs !== null, other });
  return found === null ? null : { ...found, atMs: toMs(other?.fromUs ?? claim.toUs ?? world.nowUs) };
}

/** Without its majority a leader reports that in time, and the others elect another. */
function losesTheLead(
  { fromMs, backMs, endMs }: Trial,
  claim: Stretch,
  leader: Host,
  mayBeReplaced: boolean,
  { timeoutMs }: Storm,
  world: World,
): Failure | null {
  const before = world.acting.stretches.length;
  world.runUntil(fromMs + STEPS_DOWN_WITHIN * timeoutMs);
  const isClaiming = claim.toUs === null;
  const claims = steppingDown.judge({ leader: leader.id, isClaiming, timeouts: STEPS_DOWN_WITHIN });
  if (claims !== null) return { ...claims, atMs: toMs(world.nowUs) };
  world.runUntil(backMs);
  const isReplaced = world.acting.stretches.slice(before).some(({ member }) => member !== leader.id);
  const dark = mayBeReplaced ? boundedFailover.judge({ leader: leader.id, isReplaced }) : null;
  if (dark !== null) return { ...dark, atMs: backMs };
  world.runUntil(endMs);
  return null;
}
