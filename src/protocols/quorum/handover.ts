/**
 * A leadership that ends on purpose: for a named member, for a preferred one, or for the best successor. The leader
 * stops acting first, then consents: its consent releases the promises made to it.
 */
import type { Ending, MemberId, Reason } from '../../core/index.ts';
import { recallDeputy } from './deputy.ts';
import { isHealthy } from './leading.ts';
import type { Ask, Message, Release } from './messages.ts';
import { becomeFollower, endLeases, holdBack, mayLead } from './roles.ts';
import { isQuorum, withSupporter } from './seats.ts';
import type { Times } from './settings.ts';
import {
  isMember,
  type Out,
  origin,
  others,
  report,
  type State,
  sameAge,
  send,
  sendToAll,
  sendToOthers,
} from './state.ts';
import { isHeirOther } from './succession.ts';

/**
 * Stops acting, then asks one member to take over with its consent. If that does not happen in time, it does not go on: the
 * successor may have led without being heard, if it is the deputy. And the consent may still be on its way, for a member that
 * starts again and does not know that it has promised later rounds. It resigns, or the others would wait for a leader that
 * has only just called itself one when they asked.
 */
export function startTransfer(s: State, to: MemberId, command: number | null, times: Times, out: Out): void {
  s.transfer = { to, command };
  endLeases(s, out);
  report(s, out);
  out.push({ type: 'cancel-timer', timer: 'heartbeat' });
  if (isHeirOther(s, to, s.heir?.life ?? '')) recallDeputy(s, out);
  else sendTransfer(s, out);
  out.push({ type: 'set-timer', timer: 'transfer', delayMs: times.timeoutMs[0] });
}

/** The successor is asked once no deputy can act in its place. */
export function sendTransfer(s: State, out: Out): void {
  if (s.transfer === null || s.role !== 'leader') return;
  send(s.transfer.to, { type: 'transfer', term: s.term, round: s.round, by: origin(s) }, out);
}

/** Why this member cannot take over now, or null. */
export function refuseTransfer(s: State, to: MemberId): string | null {
  if (to === s.id) return `${to} is the leader already`;
  if (!isMember(s, to)) return `${to} is not a member`;
  if (!isHealthy(s, to)) return `${to} does not answer`;
  if (s.peers[to]!.priority === 0) return `${to} has priority 0 and never leads`;
  if (!sameAge(s.peers[to]!.age, s.register)) return `${to} does not have the newest value yet`;
  return null;
}

export function onTransferTimer(s: State, times: Times, out: Out): void {
  const { transfer } = s;
  if (transfer === null) return;
  s.transfer = null;
  if (transfer.command !== null) {
    const reason = `${transfer.to} did not take over in time`;
    const outcome = { status: 'failed', reason, effect: 'indefinite' } as const;
    out.push({ type: 'answer', command: transfer.command, outcome });
  }
  // If the leadership has ended, this member may ask for votes by now.
  if (s.role === 'leader') resignExceptTo(s, transfer.to, undefined, times, out);
}

/** Transfers to the best follower; without one, releases all promises. It holds back in the election that follows. */
export function resign(s: State, why: Reason | undefined, times: Times, out: Out): void {
  resignExceptTo(s, null, why, times, out);
}

/** `silent`: the member that it has asked in vain. */
function resignExceptTo(
  s: State,
  silent: MemberId | null,
  why: Reason | undefined,
  times: Times,
  out: Out,
): void {
  const { term, round } = s;
  const release: Release = why === undefined ? { term, round } : { term, round, why };
  const best = others(s)
    .filter((id) => id !== silent && refuseTransfer(s, id) === null)
    .sort(
      (a, b) =>
        Number(b === s.heir?.to) - Number(a === s.heir?.to) ||
        s.peers[b]!.priority - s.peers[a]!.priority ||
        s.peers[b]!.round - s.peers[a]!.round,
    )[0];
  const members = others(s);
  if (best !== s.heir?.to) recallDeputy(s, out);
  becomeFollower(s, null, times, out);
  if (silent === null) holdBack(s, times, out); // Else it may be the only one that is left to lead.
  s.yields = best !== undefined;
  if (best !== undefined) return send(best, { type: 'transfer', ...release, by: origin(s) }, out);
  sendToAll(members, { type: 'resign', ...release, by: origin(s) }, out);
}

/** Whether a message says that the leader which its receiver followed has resigned, and how; null if it does not. */
export function ending(m: Message): Ending | null {
  if (m.type === 'resign') return { how: 'freed', why: m.why };
  if (m.type === 'transfer') return { how: 'receiver', why: m.why };
  if (m.type === 'heartbeat' && m.after !== undefined)
    return m.after.release === null ? { how: 'gone' } : { how: 'sender', why: m.after.release.why };
  if (m.type !== 'vote') return null;
  // Without the consent of the leader, no member answers this request while its promise to the leader stands.
  return m.release === null ? { how: 'unheard' } : { how: 'sender', why: m.release.why };
}

/**
 * A member of higher priority that has answered for long is asked whether it reaches a majority. One that reaches
 * only the leader could never win, and the leadership would move back and forth without end.
 */
export function askPreferred(s: State, preferAfter: number, out: Out): void {
  if (s.role !== 'leader') return;
  for (const { id } of s.register.members) {
    const peer = id === s.id ? undefined : s.peers[id];
    if (peer === undefined || peer.streak < preferAfter || !mayHandTo(s, id)) continue;
    peer.streak = 0;
    return send(id, { type: 'transfer/ask', term: s.term, by: origin(s) }, out);
  }
}

/** The members that could take over now and have at least the priority of this leader. */
export function successorsOf(s: State): readonly MemberId[] {
  if (s.role !== 'leader') return [];
  return others(s).filter((id) => mayHandOver(s, id) && s.peers[id]!.priority >= s.priority);
}

function mayHandTo(s: State, id: MemberId): boolean {
  return mayHandOver(s, id) && s.peers[id]!.priority > s.priority;
}

function mayHandOver(s: State, id: MemberId): boolean {
  if (s.transfer !== null || s.publishing !== null || s.change !== null || s.leaseRound === null)
    return false;
  return refuseTransfer(s, id) === null;
}

export function onTransferAsk(s: State, from: MemberId, m: Ask<'transfer/ask'>, out: Out): void {
  if (s.role !== 'follower' || s.leader !== from || m.term !== s.term || !mayLead(s)) return;
  s.probes = { [s.id]: s.disk };
  sendToOthers(s, { type: 'probe', term: s.term, by: origin(s) }, out);
}

/** A member of another term is answered too: it learns that it is not taken for a copy (see identity.ts). */
export function onProbe(s: State, from: MemberId, m: Ask<'probe'>, out: Out): void {
  send(from, { type: 'probe/answer', to: m.by.life, term: s.term, by: origin(s) }, out);
}

export function onProbeAnswer(s: State, from: MemberId, m: Ask<'probe/answer'>, out: Out): void {
  if (m.to !== s.life || m.term !== s.term || s.probes === null || !isMember(s, from)) return;
  s.probes = withSupporter(s.register, s.probes, from, m.by.disk);
  if (!isQuorum(s.register, s.probes) || s.leader === null || s.promise === null) return;
  s.probes = null;
  send(s.leader, { type: 'transfer/ready', to: s.promise.life ?? '', term: s.term, by: origin(s) }, out);
}

export function onTransferReady(
  s: State,
  from: MemberId,
  m: Ask<'transfer/ready'>,
  times: Times,
  out: Out,
): void {
  if (m.to !== s.life || s.role !== 'leader' || m.term !== s.term || !mayHandTo(s, from)) return;
  startTransfer(s, from, null, times, out);
}

/** A leader that was removed has committed the register; now it gives up the leadership. */
export function leaveIfRemoved(s: State, times: Times, out: Out): void {
  if (s.role === 'leader' && !isMember(s, s.id) && sameAge(s.register, s.committed))
    resign(s, undefined, times, out);
}
