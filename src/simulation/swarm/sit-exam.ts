import { type Liveness, type MemberId, majority } from '../../core/index.ts';
import type { Host } from '../host.ts';
import type { Stretch } from '../ledger.ts';
import { toMs } from '../time.ts';
import type { World } from '../world.ts';
import { type Trial, trialsOf } from './exam.ts';
import type { Failure } from './failure.ts';
import { calmMsOf, type Storm } from './storm.ts';

/** A leader that is cut off counts the time-out from the last answers that were under way: in time-outs. */
const STEPS_DOWN = 1.5;

/** Runs the exam of a cluster at rest, and tells which promise it broke, if any. */
export function sitExam(storm: Storm, world: World): Failure | null {
  for (const trial of trialsOf(calmMsOf(storm), storm)) {
    const failure = sitTrial(trial, storm, world);
    if (failure !== null && world.protocol.liveness?.includes(failure.property)) return failure;
  }
  return null;
}

type Broken = Failure & { readonly property: Liveness };

function sitTrial(trial: Trial, storm: Storm, world: World): Broken | null {
  // Once the others had the time to choose, only what the preferred one does beside their leader is looked at.
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
  // An order of the storm that nothing has fitted so far may yet catch the votes.
  const mayBeReplaced =
    others.length >= majority(voters.length) &&
    others.some((id) => mayLead(storm, id)) &&
    !world.network.isCatching;
  return losesTheLead(trial, claim, leader, mayBeReplaced, storm, world);
}

function hear(world: World, a: MemberId, b: MemberId): boolean {
  return a === b || (world.network.connected(a, b) && world.network.connected(b, a));
}

/** A member that was removed may have known too few of the present ones: then it takes no part until its disk is empty. */
function takesPart(world: World, id: MemberId): boolean {
  return !world.returned.has(id) || world.hosts.get(id)?.view.role !== 'none';
}

function mayLead({ members }: Storm, id: MemberId): boolean {
  return members.find((member) => member.id === id)?.priority !== 0;
}

/** Whoever is cut off, and comes back, disturbs nobody as long as the leader has its majority. */
function staysLeader({ endMs }: Trial, claim: Stretch, world: World): Broken | null {
  const before = world.claims.stretches.length;
  world.runUntil(endMs);
  const other = world.claims.stretches[before];
  if (claim.toUs === null && other === undefined) return null;
  const news =
    other === undefined ? `${claim.member} gave up` : `${other.member} came to lead in term ${other.term}`;
  const detail = `${news} although a majority heard ${claim.member}, the leader of term ${claim.term}`;
  return { property: 'L4', atMs: toMs(other?.fromUs ?? claim.toUs ?? world.nowUs), detail };
}

/** Without its majority a leader says so in time, and those who are left have another. */
function losesTheLead(
  { fromMs, backMs, endMs }: Trial,
  claim: Stretch,
  leader: Host,
  mayBeReplaced: boolean,
  { timeoutMs }: Storm,
  world: World,
): Broken | null {
  const before = world.acting.stretches.length;
  world.runUntil(fromMs + STEPS_DOWN * timeoutMs);
  if (claim.toUs === null) {
    const detail = `${leader.id} still claims to lead, ${STEPS_DOWN} time-outs after it was cut off`;
    return { property: 'L5', atMs: toMs(world.nowUs), detail };
  }
  world.runUntil(backMs);
  const isReplaced = world.acting.stretches.slice(before).some(({ member }) => member !== leader.id);
  if (mayBeReplaced && !isReplaced) {
    const detail = `nobody has taken over from ${leader.id}, although a majority is left`;
    return { property: 'L3', atMs: backMs, detail };
  }
  world.runUntil(endMs);
  return null;
}
