import type { Effect, Input, MemberId } from '../core/index.ts';
import type { Cause } from '../election/index.ts';

/** Who leads, as one member sees it at one moment. */
export interface Outlook {
  readonly leader: MemberId | null;
  readonly token: bigint | null;
  /** May this member itself act? */
  readonly acting: boolean;
  /** Does it lead, although it may perhaps not act at the moment? */
  readonly leading: boolean;
  /** Does it belong to those who vote? */
  readonly isMember: boolean;
}

/** What happened between two outlooks. */
export interface Happening {
  readonly input: Input | null;
  readonly effects: readonly Effect[];
  /** Its lease has run out by the clock. */
  readonly isExpired: boolean;
  readonly leaseMs: number;
  /** For how long nothing ran in this process before it. */
  readonly blockedMs: number;
  /** For how long the machine slept since the last time, or 0. */
  readonly sleptMs: number;
}

export interface Explanation {
  readonly cause: Cause;
  readonly detail: string;
}

/** Why it came from one outlook to the next, in one word of the API and one sentence for people. */
export function explain(self: MemberId, before: Outlook, after: Outlook, happening: Happening): Explanation {
  if (after.leader !== null) {
    const token = after.token === null ? '' : ` with token ${after.token}`;
    return { cause: 'won', detail: `${after.leader} leads${token}` };
  }
  if (before.isMember && !after.isMember) {
    return { cause: 'removed', detail: `${self} is no longer a member` };
  }
  if (before.acting && happening.sleptMs > 0) {
    return { cause: 'suspended', detail: `the machine was asleep for ${seconds(happening.sleptMs)}` };
  }
  if (before.acting && happening.isExpired) return explainExpiry(happening);
  return explainLoss(self, before, happening);
}

function explainLoss(self: MemberId, before: Outlook, happening: Happening): Explanation {
  const { input, effects } = happening;
  const isOurs = before.acting || before.leading;
  const leader = before.leader ?? (isOurs ? self : 'the leader');
  switch (input?.type) {
    case 'command':
      if (input.command.type === 'transfer') return handedTo(input.command.to);
      if (input.command.type === 'remove')
        return { cause: 'removed', detail: `${input.command.member} is removed` };
      if (before.acting) return { cause: 'resigned', detail: `${self} was asked to resign` };
      return { cause: 'resigned', detail: `${self} gives up a leadership that had lapsed` };
    case 'timer':
      if (!isOurs) return { cause: 'lease-expired', detail: `nothing was heard of ${leader} in time` };
      return { cause: 'lost-quorum', detail: 'no majority has answered for a whole time-out' };
    case 'peer-gone': {
      const what = input.proof ? 'its process is gone' : 'its connection is closed';
      return { cause: 'closed', detail: `${leader} does not answer: ${what}` };
    }
    case 'message': {
      const { from, message } = input;
      if (isOurs) {
        const hand = effects.find((effect) => effect.type === 'send' && effect.message.type === 'transfer');
        if (hand?.type === 'send') return handedTo(hand.to);
        return { cause: 'deposed', detail: `${from} told of a newer election` };
      }
      if (message.type === 'resign') return { cause: 'resigned', detail: `${from} has resigned` };
      if (message.type === 'transfer')
        return { cause: 'transferred', detail: `${from} hands over to ${self}` };
      return { cause: 'deposed', detail: `${from} asks for a new election` };
    }
    case 'start':
    case 'drawn':
    case 'peer-back':
    case undefined:
      return { cause: 'started', detail: 'nobody leads yet' };
  }
}

function handedTo(to: MemberId): Explanation {
  return { cause: 'transferred', detail: `the leadership is handed to ${to}` };
}

/** Did nobody answer in time, or did this process not listen? */
function explainExpiry({ blockedMs, leaseMs }: Happening): Explanation {
  if (blockedMs > leaseMs / 2)
    return { cause: 'event-loop-blocked', detail: `the event loop was blocked for ${seconds(blockedMs)}` };
  return { cause: 'lease-expired', detail: 'no majority answered before the lease ran out' };
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
