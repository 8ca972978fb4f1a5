import type { Command, Input, Outcome } from '../../core/index.ts';
import { isTooLarge, LARGEST_VALUE } from './bounds.ts';
import { onElectionTimer } from './election.ts';
import { refuseTransfer, resign, startTransfer } from './handover.ts';
import { sendHeartbeats } from './leading.ts';
import { type Change, lacksMajority } from './membership.ts';
import { type Publication, startPublication } from './register.ts';
import { mayLead } from './roles.ts';
import type { QuorumConfig, Times } from './settings.ts';
import { isMember, type Out, type State } from './state.ts';
import { readTiming, refuseTiming } from './timing.ts';

export function onCommand(
  s: State,
  { id, command, why }: Extract<Input, { type: 'command' }>,
  config: QuorumConfig,
  times: Times,
  out: Out,
): void {
  const refusal = refuse(s, command, config);
  if (refusal !== null) return answer(id, { status: 'refused', reason: refusal }, out);
  switch (command.type) {
    case 'campaign':
      if (s.role !== 'leader' && !s.yields) onElectionTimer(s, times, out);
      return answer(id, { status: 'done' }, out);
    case 'resign':
      resign(s, why, times, out);
      return answer(id, { status: 'done' }, out);
    case 'priority':
      s.priority = command.priority;
      if (s.role === 'leader' && command.priority === 0) resign(s, why, times, out);
      return answer(id, { status: 'done' }, out);
    case 'transfer':
      return startTransfer(s, command.to, id, times, out);
    case 'publish':
      return startPublication(s, publicationOf(command), id, times, out);
    case 'reconfigure':
      return startPublication(s, { timing: readTiming(command.timing) }, id, times, out);
    case 'add':
    case 'remove':
      // Made as soon as the earlier change is done, and a joining member has named its disk.
      s.change = { command: id, kind: command.type, member: command.member, ...detailsOf(command) };
      out.push({ type: 'set-timer', timer: 'commit', delayMs: times.commitTimeoutMs });
      if (command.type === 'add') sendHeartbeats(s, times, out);
      return;
  }
}

/** Why a command cannot be carried out now, or null. It had no effect then. */
function refuse(s: State, command: Command, config: QuorumConfig): string | null {
  if (command.type === 'priority') return null;
  if (command.type === 'campaign') return mayLead(s) ? null : 'this member may not lead';
  if (s.role !== 'leader') return s.leader === null ? 'there is no leader' : `${s.leader} is the leader`;
  if (s.transfer !== null) return `the leadership is being handed to ${s.transfer.to}`;
  switch (command.type) {
    case 'resign':
      return null;
    case 'transfer':
      return refuseTransfer(s, command.to);
    case 'publish':
      if (isTooLarge(command.value)) return `a value has at most ${LARGEST_VALUE} characters`;
      return refuseNow(s);
    case 'reconfigure': {
      const objection = refuseTiming(config, readTiming(command.timing));
      return objection === null ? refuseNow(s) : `${objection.path}: ${objection.reason}`;
    }
    case 'add':
      if (isMember(s, command.member)) return `${command.member} is a member already`;
      return refuseNow(s);
    case 'remove':
      if (!isMember(s, command.member)) return `${command.member} is not a member`;
      if (s.register.members.length === 1) return 'it is the last member';
      if (command.force) return refuseNow(s);
      return (
        refuseNow(s) ??
        lacksMajority(
          s,
          s.register.members.filter((each) => each.id !== command.member),
        )
      );
  }
}

/**
 * A pause leaves the value as it is in the register. Its sender may know an older one: a leader shows the value that it
 * knows to be committed, and until it has completed the register of the leader before, a newer one may be.
 */
function publicationOf({ value, paused }: Extract<Command, { type: 'publish' }>): Publication {
  return paused === undefined ? { value } : { paused };
}

function detailsOf(command: Extract<Command, { type: 'add' | 'remove' }>): Pick<Change, 'url' | 'force'> {
  if (command.type === 'remove') return command.force ? { force: true } : {};
  return command.url === undefined ? {} : { url: command.url };
}

/** Why nothing can be published now, or null. */
function refuseNow(s: State): string | null {
  if (s.leaseRound === null) return 'a majority does not answer';
  return s.publishing !== null || s.change !== null ? 'another publication is under way' : null;
}

function answer(command: number, outcome: Outcome, out: Out): void {
  out.push({ type: 'answer', command, outcome });
}
