/** What the user of a voter can ask for. Every command is answered at once, with what has been set going. */
import { assertNever, type Input, type MemberId, type Outcome } from '../../core/index.ts';
import { endFarewell, findVoter, knownVoters, registerVoter, startFarewell } from '../membership.ts';
import { becomeLeaderless, startElection } from './election.ts';
import { stepDownWithoutMajority } from './health.ts';
import type { Out } from './messages.ts';
import { hasMajority, type State, sendToAll, takesPart } from './state.ts';
import { becomeRemoved } from './voters.ts';

type Asked = Extract<Input, { type: 'command' }>;

const done: Outcome = { status: 'done' };
const refused = (reason: string): Outcome => ({ status: 'refused', reason });

export function onCommand(s: State, { id, command }: Asked, out: Out): void {
  out.push({ type: 'answer', command: id, outcome: carryOut(s, command, out) });
}

function carryOut(s: State, command: Asked['command'], out: Out): Outcome {
  if (s.membership.removed) return refused('this voter was removed');
  if (!takesPart(s)) return refused('this voter is not registered with another one yet');
  switch (command.type) {
    case 'campaign':
      return campaign(s, out);
    case 'resign':
      return resign(s, out);
    case 'add':
      endFarewell(s.membership, command.member);
      registerVoter(s.membership, command.member);
      return done;
    case 'remove':
      return remove(s, command.member, out);
    case 'priority':
    case 'transfer':
    case 'publish':
      return refused(`the draw election has no ${command.type}`);
    default:
      return assertNever(command);
  }
}

/** "an external call to start an election": it does not make this voter win. */
function campaign(s: State, out: Out): Outcome {
  if (s.rules.quorum && !hasMajority(s, knownVoters(s.membership))) {
    return refused('fewer than a majority of the configured voters are known');
  }
  if (s.ballot === null) startElection(s, out);
  return done;
}

/** The leader stops at once, and an election starts in which it casts 0. */
function resign(s: State, out: Out): Outcome {
  if (s.leader !== s.id) return refused('only the leader can resign');
  if (s.membership.voters.length === 1) return refused('no other voter is known');
  s.resigned = true;
  becomeLeaderless(s, out);
  startElection(s, out);
  return done;
}

/** The others are told, and so is the voter itself. A voter that removes itself can tell them only once. */
function remove(s: State, member: MemberId, out: Out): Outcome {
  if (findVoter(s.membership, member) === undefined) return refused(`${member} is not a known voter`);
  if (member === s.id) {
    sendToAll(s, knownVoters(s.membership), { type: 'remove', voterId: member }, out);
    becomeRemoved(s, out);
    return done;
  }
  startFarewell(s.membership, member, s.rules.missedHeartbeatTolerance + 1, out);
  if (s.leader === member) becomeLeaderless(s, out);
  stepDownWithoutMajority(s, out);
  return done;
}
