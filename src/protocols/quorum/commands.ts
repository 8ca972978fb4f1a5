import { type Command, type Input, idSet, type MemberId, type Outcome } from '../../core/index.ts';
import { onElectionTimer } from './election.ts';
import { isHealthy, sendHeartbeats } from './leading.ts';
import { startPublication } from './register.ts';
import { becomeFollower, endLeases, mayLead, waitForSlot } from './roles.ts';
import type { Times } from './settings.ts';
import { isMember, type Out, others, peerOf, report, type State, sameAge, sendToOthers } from './state.ts';

/** 64 KiB: a register is for an address or a small plan, not for data. */
const LARGEST_VALUE = 64 * 1024;

export function onCommand(
  s: State,
  { id, command }: Extract<Input, { type: 'command' }>,
  times: Times,
  out: Out,
): void {
  const refusal = refuse(s, command);
  if (refusal !== null) return answer(out, id, { status: 'refused', reason: refusal });
  switch (command.type) {
    case 'campaign':
      if (s.role !== 'leader') onElectionTimer(s, times, out);
      return answer(out, id, { status: 'done' });
    case 'resign':
      resign(s, times, out);
      return answer(out, id, { status: 'done' });
    case 'priority':
      s.priority = command.priority;
      if (s.role === 'leader' && command.priority === 0) resign(s, times, out);
      return answer(out, id, { status: 'done' });
    case 'transfer':
      return startTransfer(s, command.to, id, times, out);
    case 'publish':
      return startPublication(s, { value: command.value, members: s.register.members }, id, times, out);
    case 'add':
      return startChange(s, id, idSet([...s.register.members, command.member]), times, out);
    case 'remove':
      return startChange(
        s,
        id,
        s.register.members.filter((each) => each !== command.member),
        times,
        out,
      );
  }
}

/** Why a command cannot be carried out here and now, or null. Nothing of it has happened then. */
function refuse(s: State, command: Command): string | null {
  if (command.type === 'priority') return null;
  if (command.type === 'campaign') {
    return s.role !== 'blank' && mayLead(s) ? null : 'this member may not lead';
  }
  if (s.role !== 'leader') return s.leader === null ? 'there is no leader' : `${s.leader} is the leader`;
  if (s.transfer !== null) return `the leadership is being handed to ${s.transfer.to}`;
  switch (command.type) {
    case 'resign':
      return null;
    case 'transfer':
      return refuseTransfer(s, command.to);
    case 'publish':
      if (s.leaseRound === null) return 'a majority does not answer';
      if (isBusy(s)) return 'another publication is under way';
      if (JSON.stringify(command.value).length > LARGEST_VALUE)
        return `a value has at most ${LARGEST_VALUE} characters`;
      return null;
    case 'add':
      if (isMember(s, command.member)) return `${command.member} is a member already`;
      return isBusy(s) ? 'another publication is under way' : null;
    case 'remove':
      if (!isMember(s, command.member)) return `${command.member} is not a member`;
      if (s.register.members.length === 1) return 'it is the last member';
      return isBusy(s) ? 'another publication is under way' : null;
  }
}

function isBusy(s: State): boolean {
  return s.publishing !== null || s.change !== null;
}

function refuseTransfer(s: State, to: MemberId): string | null {
  if (to === s.id) return `${to} is the leader already`;
  if (!isMember(s, to)) return `${to} is not a member`;
  if (!isHealthy(s, to)) return `${to} does not answer`;
  if (s.peers[to]!.priority === 0) return `${to} has priority 0 and never leads`;
  if (!sameAge(s.peers[to]!.age, s.register)) return `${to} does not have the newest value yet`;
  return null;
}

/**
 * One member at a time, and only after this term has committed something: then a change that an earlier leader left
 * half done can no longer win, and any two majorities of neighbouring memberships share a member.
 */
function startChange(s: State, command: number, members: readonly MemberId[], times: Times, out: Out): void {
  const { register, committed } = s;
  if (register.term === s.term && sameAge(register, committed)) {
    return startPublication(s, { value: register.value, members }, command, times, out);
  }
  s.change = { command, members };
  startPublication(s, { value: register.value, members: register.members }, null, times, out);
}

/** Stops acting, then asks one member to take over with its consent. If that does not happen in time, it goes on. */
function startTransfer(s: State, to: MemberId, command: number | null, times: Times, out: Out): void {
  s.transfer = { to, command };
  endLeases(s, out);
  report(s, out);
  out.push({ type: 'cancel-timer', timer: 'heartbeat' });
  out.push({ type: 'send', to, message: { type: 'transfer', term: s.term, round: s.round } });
  out.push({ type: 'set-timer', timer: 'transfer', delayMs: times.timeoutMs[0] });
}

export function onTransferTimer(s: State, times: Times, out: Out): void {
  const { transfer } = s;
  if (transfer === null) return;
  s.transfer = null;
  if (transfer.command !== null) {
    const reason = `${transfer.to} did not take over in time`;
    answer(out, transfer.command, { status: 'failed', reason, effect: 'indefinite' });
  }
  peerOf(s, transfer.to).streak = 0;
  // Later rounds are not released by the consent that is still on its way, so it is safe to go on.
  sendHeartbeats(s, times, out);
}

/** A member of higher priority that has long been healthy is handed the leadership. */
export function handToPreferred(s: State, preferAfter: number, times: Times, out: Out): void {
  if (s.role !== 'leader' || s.transfer !== null || isBusy(s) || s.leaseRound === null) return;
  const preferred = others(s).find((id) => {
    const peer = s.peers[id];
    return (
      peer !== undefined &&
      peer.priority > s.priority &&
      peer.streak >= preferAfter &&
      refuseTransfer(s, id) === null
    );
  });
  if (preferred !== undefined) startTransfer(s, preferred, null, times, out);
}

/** Hands over to the best follower; without one, sets everybody free. It holds back in the election that follows. */
export function resign(s: State, times: Times, out: Out): void {
  const { term, round } = s;
  const best = others(s)
    .filter((id) => refuseTransfer(s, id) === null)
    .sort((a, b) => s.peers[b]!.priority - s.peers[a]!.priority || s.peers[b]!.round - s.peers[a]!.round)[0];
  becomeFollower(s, null, times, out);
  waitForSlot(s, 2 * times.timeoutMs[1], times, out);
  if (best === undefined) sendToOthers(s, { type: 'resign', term, round }, out);
  else out.push({ type: 'send', to: best, message: { type: 'transfer', term, round } });
}

/** A leader that was removed has handed over the register; now it hands over the leadership. */
export function leaveIfRemoved(s: State, times: Times, out: Out): void {
  if (s.role === 'leader' && !isMember(s, s.id) && sameAge(s.register, s.committed)) resign(s, times, out);
}

function answer(out: Out, command: number, outcome: Outcome): void {
  out.push({ type: 'answer', command, outcome });
}
