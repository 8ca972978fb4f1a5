import type { Effect, Input, MemberId, Message } from '../core/index.ts';
import type { Why } from '../election/index.ts';

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
export interface Happening {
  readonly input: Input | null;
  readonly effects: readonly Effect[];
  /** Why a command was given, if whoever gave it has said so. */
  readonly why: Why | null;
  /** Its lease has run out by the clock. */
  readonly isExpired: boolean;
  readonly leaseMs: number;
  /** For how long nothing ran in this process before it. */
  readonly blockedMs: number;
  /** For how long the machine slept since the last time, or 0. */
  readonly sleptMs: number;
}

/** Why it came from one outlook to the next, in one word of the API and one sentence for people. */
export function explain(self: MemberId, before: Outlook, after: Outlook, happening: Happening): Why {
  if (after.leader !== null) {
    const token = after.token === null ? '' : ` with token ${after.token}`;
    return { cause: 'won', detail: `${after.leader} leads${token}` };
  }
  if (before.isMember && !after.isMember) {
    const members = after.members?.join(', ') ?? 'others';
    return { cause: 'removed', detail: `${self} is not a member: the members are ${members}` };
  }
  if (before.acting && happening.sleptMs > 0) {
    return { cause: 'suspended', detail: `the machine was asleep for ${seconds(happening.sleptMs)}` };
  }
  if (before.acting && happening.isExpired) return explainExpiry(happening);
  return explainLoss(self, before, happening);
}

function explainLoss(self: MemberId, before: Outlook, happening: Happening): Why {
  const { input } = happening;
  const leader = before.leader ?? (before.acting ? self : 'the leader');
  switch (input?.type) {
    case 'command':
      return explainCommand(self, before, input, happening.why);
    case 'timer':
      if (!before.acting) return { cause: 'lease-expired', detail: `nothing was heard of ${leader} in time` };
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
      return { cause: 'started', detail: 'nobody leads yet' };
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
      return handedTo(command.to);
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
    if (hand?.type === 'send') return handedTo(hand.to);
  } else {
    if (message.type === 'resign') return { cause: 'resigned', detail: `${from} has resigned` };
    if (message.type === 'transfer') return { cause: 'transferred', detail: `${from} hands over to ${self}` };
    // Whoever asks for votes with the consent of the leader was handed the leadership.
    if (message.type === 'vote' && message.release && before.leader !== null)
      return { cause: 'transferred', detail: `${before.leader} hands over to ${from}` };
  }
  return { cause: 'deposed', detail: `${from} told of a newer election` };
}

function handedTo(to: MemberId): Why {
  return { cause: 'transferred', detail: `the leadership is handed to ${to}` };
}

/** Did nobody answer in time, or did this process not listen? */
function explainExpiry({ blockedMs, leaseMs }: Happening): Why {
  if (blockedMs > leaseMs / 2)
    return { cause: 'event-loop-blocked', detail: `the event loop was blocked for ${seconds(blockedMs)}` };
  return { cause: 'lease-expired', detail: 'no majority answered before the lease ran out' };
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
