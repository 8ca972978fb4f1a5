import type { MemberId } from '../../../src/core/index.ts';
import type { History, MemberShot } from '../game/history/history.ts';
import { seconds } from '../game/words/seconds.ts';

/** One member in a table. Missing values are a dash. */
interface MemberRow {
  readonly id: MemberId;
  readonly sign: string;
  readonly role: string;
  readonly leader: string;
  readonly term: string;
  readonly votes: string;
  readonly lease: string;
  readonly state: string;
}

const NONE = '–';
const MOST_NAMED = 5;
const ROLE_SIGNS: Readonly<Record<string, string>> = {
  leader: '♛',
  candidate: '◌',
  follower: '○',
  none: '·',
  down: '✕',
  'not started': '…',
};

export function memberRows(history: History, ms: number): MemberRow[] {
  return history.members.flatMap((id) => {
    const shot = history.memberAt(id, ms);
    if (shot === undefined) return [];
    const role = shot.alive ? shot.role : downWord(shot);
    return [
      {
        id,
        sign: ROLE_SIGNS[role]!,
        role: role === 'none' ? 'no part yet' : role,
        leader: shot.leader === null ? NONE : shot.leader === id ? 'itself' : String(shot.leader),
        term: shot.term === null ? NONE : String(shot.term),
        votes: voteWords(shot),
        lease: leaseLeft(history, shot, ms),
        state: stateWords(shot),
      },
    ];
  });
}

function voteWords({ votes, role }: MemberShot): string {
  if (votes.length === 0 || (role !== 'leader' && role !== 'candidate')) return NONE;
  return votes.length > MOST_NAMED ? String(votes.length) : `${votes.length}: ${votes.join(', ')}`;
}

function leaseLeft(history: History, shot: MemberShot, ms: number): string {
  if (shot.lease === null || shot.role !== 'leader') return NONE;
  const timer = history.leaseAt(shot, ms);
  return timer === null ? 'run out' : seconds(timer.dueMs - ms);
}

function downWord({ hasStarted }: MemberShot): string {
  return hasStarted ? 'down' : 'not started';
}

/** "running", "paused, clock × 1.5, disk full" */
export function stateWords(shot: MemberShot): string {
  const { alive, paused, clockRate, disk } = shot;
  const words = [alive ? (paused ? 'paused' : 'running') : downWord(shot)];
  if (clockRate !== 1) words.push(`clock × ${clockRate}`);
  if (disk !== 'none') words.push(`disk ${disk}`);
  return words.join(', ');
}
