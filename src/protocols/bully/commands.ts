import { assertNever, type Command, type Json, type Outcome } from '../../core/index.ts';
import { resign, startElection } from './election.ts';
import { startPublishing } from './publishing.ts';
import type { Turn } from './state.ts';

/** Every command is answered once; a publication when it is known what became of it. */
export function onCommand(turn: Turn, id: number, command: Command): void {
  switch (command.type) {
    case 'campaign':
      return onCampaign(turn, id);
    case 'resign':
      return onResignCommand(turn, id);
    case 'publish':
      return onPublish(turn, id, command.value);
    case 'priority':
    case 'transfer':
    case 'add':
    case 'remove':
      return refuse(turn, id, `the bully election has no ${command.type}`);
    default:
      assertNever(command);
  }
}

/** The user's word stands for the majority's: with it, a preferred id may take the place of a healthy leader. */
function onCampaign(turn: Turn, id: number): void {
  turn.s.aside = false;
  if (turn.s.role !== 'leader') startElection(turn);
  answer(turn, id, { status: 'done' });
}

function onResignCommand(turn: Turn, id: number): void {
  if (turn.s.role !== 'leader') return refuse(turn, id, onlyTheLeader(turn, 'resign'));
  resign(turn);
  answer(turn, id, { status: 'done' });
}

function onPublish(turn: Turn, id: number, value: Json): void {
  const { role, publishing } = turn.s;
  if (role !== 'leader') return refuse(turn, id, onlyTheLeader(turn, 'publish'));
  if (publishing !== null && publishing.command !== null) {
    return refuse(turn, id, 'another publish is under way');
  }
  startPublishing(turn, id, value);
}

function onlyTheLeader({ s }: Turn, what: string): string {
  return `only the leader can ${what}, and ${s.leader === null ? 'none is known' : `that is ${s.leader}`}`;
}

function refuse(turn: Turn, command: number, reason: string): void {
  answer(turn, command, { status: 'refused', reason });
}

function answer({ out }: Turn, command: number, outcome: Outcome): void {
  out.push({ type: 'answer', command, outcome });
}
