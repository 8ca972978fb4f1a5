/**
 * The successor is elected before it is needed. A leader names one member its deputy and asks all members for their votes in a
 * later term, in advance; each saves that vote and goes on supporting the leader in the present term. When the leader resigns, or
 * is proven dead, the deputy asks for these votes, and they are answered at once: no pre-vote, and no member waits for a disk.
 *
 * Why this is safe: a vote in advance is a vote, given early. A member that has given it votes for no other process in that
 * term, nor in an earlier one, also after a restart (S1, S2). It is no promise: a deputy may act only when a majority has answered
 * its request, and each member answers only when its promise to the leader has ended. So leases are what they were (S10).
 *
 * A leader that changes its mind asks for votes in the term after that of its former deputy: no member takes a vote back. A
 * deputy that was named earlier, or that was paused meanwhile, asks in a term in which the members vote for it alone, or no
 * longer: then they have voted ahead for a later term. Example: 1 leads term 4 and names 2 for term 5; 2 is cut off, and 1 names 3
 * for term 6. 1 dies. If 3 asks first, it leads term 6, and 2 is told of that term. If 2 asks first, in term 5, all refuse.
 *
 * What it costs: a save at each member when a deputy is named, and terms that are never led. A candidate that does not know of a
 * vote in advance asks for a term that others refuse, and asks again in the next one.
 */
import type { MemberId } from '../../core/index.ts';
import { refuseTransfer } from './handover.ts';
import type { Advance } from './messages.ts';
import { type Out, others, type State, save } from './state.ts';

/** The vote in advance that members lack: the next heartbeat asks for it. Null if all have given it. */
export function advanceToAskFor(s: State): Advance | null {
  const { advance } = s;
  if (advance === null || advance.term <= s.term) return null;
  return others(s).every((id) => (s.peers[id]?.advance ?? 0) >= advance.term) ? null : advance;
}

/**
 * A deputy stays as long as it could take over and no other member has a higher priority. A leader names one after it has sent
 * its heartbeats, and asks for votes with the next ones: a lease that waited for its disk might end meanwhile.
 */
export function nameDeputy(s: State, out: Out): void {
  if (s.leaseRound === null) return;
  const able = others(s).filter((id) => refuseTransfer(s, id) === null);
  if (able.length === 0) return;
  const highest = Math.max(...able.map((id) => s.peers[id]!.priority));
  const preferred = able.filter((id) => s.peers[id]!.priority === highest);
  const present = s.advance !== null && s.advance.term > s.term ? s.advance : null;
  if (present !== null && preferred.includes(present.id) && s.peers[present.id]!.life === present.life)
    return;
  const id = preferred[s.term % preferred.length]!;
  s.advance = { term: Math.max(s.term, s.advance?.term ?? 0) + 1, id, life: s.peers[id]!.life };
  save(s, out);
}

/** Gives the vote that the leader asks for, unless it was given in that term or a later one. */
export function voteAhead(s: State, asked: Advance, out: Out): void {
  if (isVotedAway(s, asked.term)) return;
  s.advance = asked;
  save(s, out);
}

/** Has this process been named, and not yet asked for the votes? */
export function isDeputy({ advance, id, life, term, seeking }: State): boolean {
  return (
    advance !== null && advance.id === id && advance.life === life && advance.term > Math.max(term, seeking)
  );
}

/** Has this member voted in advance for this process, in this term? */
export function isVotedAhead({ advance }: State, id: MemberId, life: string, asked: number): boolean {
  return advance !== null && advance.term === asked && advance.id === id && advance.life === life;
}

/** Has it voted in advance, in this term or a later one? Then it has no other vote to give there. */
export function isVotedAway({ advance }: State, asked: number): boolean {
  return advance !== null && asked <= advance.term;
}
