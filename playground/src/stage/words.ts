import type { MemberId } from '../../../src/core/index.ts';
import type { MemberShot, TimerShot } from '../game/history/history.ts';
import { partOver, timerWord } from '../game/history/timers.ts';
import { termWord } from '../game/words/term-words.ts';

/** Facts about a member besides its own reports. */
export interface Standing {
  readonly protocol: string;
  readonly isActing: boolean;
  /** More than one member believes that it leads, and this is one of them. */
  readonly isRival: boolean;
  /** Another one leads in the same term, which terms should prevent. */
  readonly isTwin: boolean;
  readonly isMarked: boolean;
}

/** "Member 3, follower of 1, epoch 3": all that its picture shows. */
export function memberName(shot: MemberShot, standing: Standing): string {
  const parts = [`Member ${shot.id}`];
  if (!shot.alive) parts.push(shot.hasStarted ? 'down' : 'not started yet');
  else {
    if (shot.paused) parts.push('paused');
    parts.push(roleWords(shot, standing.isActing));
    if (shot.term !== null) parts.push(`${termWord(standing.protocol)} ${shot.term}`);
    if (shot.role !== 'follower' && shot.votes.length > 0)
      parts.push(shot.votes.length === 1 ? '1 vote' : `${shot.votes.length} votes`);
  }
  if (shot.clockRate !== 1) parts.push(`clock ×${shot.clockRate}`);
  if (shot.disk !== 'none') parts.push(`disk: ${shot.disk}`);
  if (standing.isRival) parts.push('one of several that claim to lead');
  if (standing.isTwin) parts.push(`with another in the same ${termWord(standing.protocol)}`);
  if (standing.isMarked) parts.push('marked');
  return parts.join(', ');
}

function roleWords({ role, leader }: MemberShot, isActing: boolean): string {
  switch (role) {
    case 'leader':
      return isActing ? 'leader' : 'claims to lead but may not act';
    case 'candidate':
      return 'candidate';
    case 'follower':
      return leader === null ? 'follower without a leader' : `follower of ${leader}`;
    case 'none':
      return 'takes no part yet';
  }
}

/** "wait 40 % over", in steps that a listener can follow. */
export function timerName(timer: TimerShot | null, ms: number): string {
  if (timer === null) return '';
  return `${timerWord(timer.name)} ${Math.floor(partOver(timer, ms) * 10) * 10} % over`;
}

/** "1, 2 and 3", shortened if there are many. */
export function listIds(ids: readonly MemberId[]): string {
  if (ids.length > 8) return `${ids.slice(0, 6).join(', ')} and ${ids.length - 6} more`;
  return ids.length < 2 ? ids.join('') : `${ids.slice(0, -1).join(', ')} and ${ids.at(-1)}`;
}
