import type { Effect, Input, MemberId, Message } from '../core/index.ts';
import type { Why } from '../election/index.ts';
import type { Turn } from './tenure.ts';

/** Who leads, as one member sees it at one moment. */
export interface Outlook {
  readonly leader: MemberId | null;
  readonly token: bigint | null;
  /** May this member itself act? */
  readonly acting: boolean;
  /** Does it belong to those who vote? */
  readonly isMember: boolean;
  /** Those who vote, where the protocol tells. */
  readonly members?: readonly MemberId[] | undefined;
}

/** What happened between two outlooks. */
export interface Happening extends Turn {
  /** The leadership of the second outlook was known before. */
  readonly isKnown: boolean;
  /** Its lease has run out by the clock. */
  readonly isExpired: boolean;
  readonly leaseMs: number;
  /** For how long the machine slept since the last time, or 0. */
  readonly sleptMs: number;
}

/** Why it came from one outlook to the next, in one word of the API and one sentence for people. */
export function explain(self: MemberId, before: Outlook, after: Outlook, happening: Happening): Why {
  if (before.isMember && !after.isMember) return removed(self, after);
  if (after.leader !== null) return explainGain(self, before, after, happening);
  if (before.acting && happening.sleptMs > 0) {
    return {
      cause: 'suspended',
      detail: `the machine of ${self} was asleep for ${seconds(happening.sleptMs)}`,
    };
  }
  if (before.acting && happening.isExpired) return explainExpiry(self, happening);
  if (before.acting && !after.isMember) return removed(self, after);
  // The leader knows best why it gave up; what this member saw of it is the same event.
  if (!before.acting && before.leader !== null && happening.farewell !== null) return happening.farewell;
  return explainLoss(self, before, happening);
}

function removed(self: MemberId, { members }: Outlook): Why {
  return {
    cause: 'removed',
    detail: `${self} is not a member: the members are ${members?.join(', ') ?? 'others'}`,
  };
}

/** Only an election that this member saw was "won"; of one that it hears of later, or from others, it has learned. */
function explainGain(self: MemberId, before: Outlook, after: Outlook, happening: Happening): Why {
  const { leader, token } = after;
  const { input, isKnown, ledMs = 0 } = happening;
  const leads = `${leader} leads${token === null ? '' : ` with token ${token}`}`;
  if (leader === self) return { cause: 'won', detail: leads };
  if (before.leader === leader && before.token === token)
    return { cause: 'started', detail: `${self} is a member, and ${leads}` };
  if (ledMs === null && input?.type === 'message')
    return { cause: 'learned', detail: `${input.from} says that ${leads}` };
  if (isKnown) return { cause: 'learned', detail: `${leader} still leads with token ${token}` };
  if (ledMs !== null && ledMs > 0)
    return { cause: 'learned', detail: `${leads}, for about ${seconds(ledMs)} already` };
  return { cause: 'won', detail: leads };
}

function explainLoss(self: MemberId, before: Outlook, happening: Happening): Why {
  const { input } = happening;
  const leader = before.leader ?? (before.acting ? self : 'the leader');
  switch (input?.type) {
    case 'command':
      return explainCommand(self, before, input, happening.why);
    case 'timer':
      if (!before.acting) return unheard(leader);
      return { cause: 'lost-quorum', detail: 'no majority has answered for a whole time-out' };
    case 'peer-gone': {
      const what = input.proof ? 'its process is gone' : 'its connection is closed';
      return { cause: 'closed', detail: `${leader} does not answer: ${what}` };
    }
    case 'message':
      return explainMessage(self, before, input.from, input.message, happening.effects);
    case 'start':
    case 'drawn':
    case 'peer-back':
    case undefined:
      return { cause: 'started', detail: 'no election has been decided yet' };
  }
}

function explainCommand(
  self: MemberId,
  before: Outlook,
  { command }: Extract<Input, { type: 'command' }>,
  why: Why | null,
): Why {
  if (why !== null) return why;
  switch (command.type) {
    case 'transfer':
      return handedOver(self, command.to);
    case 'remove':
      return { cause: 'removed', detail: `${command.member} is removed` };
    case 'campaign':
      return {
        cause: before.acting ? 'resigned' : 'started',
        detail: `${self} was asked to call an election`,
      };
    case 'priority':
      return { cause: 'resigned', detail: `${self} no longer stands` };
    case 'resign':
    case 'publish':
    case 'add':
      return { cause: 'resigned', detail: `${self} was asked to resign` };
  }
}

function explainMessage(
  self: MemberId,
  before: Outlook,
  from: MemberId,
  message: Message & { readonly release?: unknown },
  effects: readonly Effect[],
): Why {
  if (before.acting) {
    const hand = effects.find((effect) => effect.type === 'send' && effect.message.type === 'transfer');
    if (hand?.type === 'send') return handedOver(self, hand.to);
  } else {
    if (message.type === 'resign') return { cause: 'resigned', detail: `${from} has resigned` };
    if (message.type === 'transfer') return handedOver(from, self);
    if (message.type === 'vote' && before.leader !== null) {
      // A member that asks for votes with the consent of the leader was handed the leadership.
      if (message.release) return handedOver(before.leader, from);
      // Without it, this member would not have listened while its promise to the leader stood.
      if (message.release === null) return unheard(before.leader);
    }
  }
  return { cause: 'deposed', detail: `${from} told of a newer election` };
}

function handedOver(from: MemberId, to: MemberId): Why {
  return { cause: 'transferred', detail: `${from} hands over to ${to}` };
}

function unheard(leader: MemberId): Why {
  return { cause: 'lease-expired', detail: `nothing was heard of ${leader} in time` };
}

/** Did no majority answer in time, or did this process not listen? */
function explainExpiry(self: MemberId, { blockedMs, leaseMs }: Happening): Why {
  if (blockedMs > leaseMs / 2) {
    const detail = `the event loop of ${self} was blocked for ${seconds(blockedMs)}`;
    return { cause: 'event-loop-blocked', detail };
  }
  return { cause: 'lease-expired', detail: `no majority answered ${self} before its lease ran out` };
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
