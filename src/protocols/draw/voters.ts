/** How a draw voter reacts when others register, ask, list and remove voters. */
import type { MemberId } from '../../core/index.ts';
import { becomeLeaderless } from './election.ts';
import { hearOfElectors } from './electors.ts';
import { endFarewell } from './farewell.ts';
import { considerLeader, countVouch, stepDownWithoutMajority } from './health.ts';
import {
  askUnknown,
  findVoter,
  hearFrom,
  isHeard,
  isLeaving,
  registerIfAsked,
  registerVoter,
  removeVoter,
  sendTo,
  urlIn,
} from './membership.ts';
import type { MessageOf, Out, Timer } from './messages.ts';
import { type Rules, report, type State, send, statusOf } from './state.ts';

/**
 * "The loop is broken when … the voter receives a registration message from another voter." A leader that registers
 * has started anew, and leads no more, unless it says that it only makes itself known (`again`).
 */
export function onRegister(s: State, from: MemberId, m: MessageOf<'register'>, rules: Rules, out: Out): void {
  const { membership } = s;
  const url = m.voterUrl ?? null;
  if (m.again === true && isLeaving(membership, from)) {
    // It has not heard of its removal yet.
    return sendTo(membership, from, { type: 'remove', voterId: from } as const, out, url);
  }
  if (s.leader === from && m.again !== true) becomeLeaderless(s, rules, out);
  endFarewell(membership, from);
  registerVoter(membership, from, url);
  hearFrom(membership, from);
  becomeRegistered(s, rules, out);
  const { isFound, ids } = s.electors;
  const configured = isFound || ids === null ? {} : { configured: [...ids] };
  send(s, from, { type: 'register/answer', ...statusOf(s, rules), ...configured }, out);
}

/**
 * "The loop is broken when … the voter successfully registers with another voter." The answer has the voters that it
 * knows, and whose majority counts if we were not configured with the others.
 */
export function onRegisterAnswer(
  s: State,
  from: MemberId,
  m: MessageOf<'register/answer'>,
  rules: Rules,
  out: Out,
): void {
  if (!s.electors.isFound) hearOfElectors(s.electors, s.id, rules.voters, m);
  registerVoter(s.membership, from, urlIn(m.voters, from));
  hearFrom(s.membership, from);
  becomeRegistered(s, rules, out);
  considerLeader(s, from, m, rules, out);
  askUnknown(s.membership, from, m, rules.timeoutMs, out);
}

function becomeRegistered(s: State, rules: Rules, out: Out): void {
  if (s.membership.registered) return;
  s.membership.registered = true;
  report(s, rules, out);
}

/** A voter that is not known yet may ask too, and says where it is. */
export function onStatus(s: State, from: MemberId, m: MessageOf<'status'>, rules: Rules, out: Out): void {
  const url = m.voterUrl ?? findVoter(s.membership, from)?.url ?? null;
  sendTo(s.membership, from, { type: 'status/answer', ...statusOf(s, rules) } as const, out, url);
}

/** An answer shows that the voter is there, and its report about the leader counts like a heartbeat. */
export function onStatusAnswer(
  s: State,
  from: MemberId,
  m: MessageOf<'status/answer'>,
  rules: Rules,
  out: Out,
): void {
  registerIfAsked(s.membership, from, out);
  hearFrom(s.membership, from);
  countVouch(s, m);
  considerLeader(s, from, m, rules, out);
}

/** "The voter who sent the heartbeat invokes the `status` endpoint of any unknown voters in the list received." */
export function onReconcile(
  s: State,
  from: MemberId,
  m: MessageOf<'reconcile'>,
  rules: Rules,
  out: Out,
): void {
  hearFrom(s.membership, from);
  askUnknown(s.membership, from, m, rules.timeoutMs, out);
}

/**
 * "Remove a voter." That another voter could not reach it is no reason to remove a voter that we hear, nor the
 * leader, for which all must agree, nor ourselves.
 */
export function onRemove(s: State, { voterId, reason }: MessageOf<'remove'>, rules: Rules, out: Out): void {
  if (reason === 'no-answer') {
    const voter = findVoter(s.membership, voterId);
    if (voter === undefined || isHeard(voter) || voterId === s.leader) return;
  } else if (voterId === s.id) {
    return becomeRemoved(s, rules, out);
  }
  removeVoter(s.membership, voterId);
  if (s.leader === voterId) becomeLeaderless(s, rules, out);
  stepDownWithoutMajority(s, rules, out);
}

/** It is silent from now on, so that no voter finds it again, until it is restarted. */
export function becomeRemoved(s: State, rules: Rules, out: Out): void {
  s.membership.removed = true;
  s.leader = null;
  s.ballot = null;
  s.vouchedFor = null;
  const timers: readonly Timer[] = ['heartbeat', 'status', 'check', 'election'];
  for (const timer of timers) out.push({ type: 'cancel-timer', timer });
  report(s, rules, out);
}
