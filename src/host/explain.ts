import {
  type Cause,
  type Command,
  type Effect,
  type Ending,
  type Input,
  type MemberId,
  type Message,
  oneLine,
  type Reason,
  type Why,
} from '../core/index.ts';
import type { Turn } from './hold.ts';

/** Who leads, as one member sees it at one moment. */
export interface Outlook {
  readonly leader: MemberId | null;
  readonly token: bigint | null;
  /** May this member itself act? */
  readonly acting: boolean;
  /** Is this member one of the voters? */
  readonly isMember: boolean;
  /** The voters, if the protocol reports them. */
  readonly members?: readonly MemberId[] | undefined;
}

/** What happened between two outlooks. */
export interface Happening extends Turn {
  /** What a message says about the end of a leadership. */
  readonly ending: (message: Message) => Ending | null;
  /** For how long the leader that the message names has led, as Protocol.ledMs tells it. */
  readonly ledMs: number | null | undefined;
  /** This member knew of the leadership in the second outlook before. */
  readonly isKnown: boolean;
  /** Do the leaders of this protocol have leases? */
  readonly hasLeases: boolean;
  /** The lease expired by the clock. */
  readonly isExpired: boolean;
  readonly leaseMs: number;
  /** How long the machine slept since the last outlook, or 0. */
  readonly sleptMs: number;
}

/** Why one outlook followed another: one cause of the API and one sentence for people. */
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
  // A voter that was not heard is removed from the list for that reason.
  if (!happening.hasLeases && !before.acting && happening.input?.type === 'timer')
    return unheard(before.leader ?? 'the leader', false);
  if (before.leader !== null && after.members?.includes(before.leader) === false)
    return removed(before.leader, after);
  return explainLoss(self, before, happening);
}

function removed(self: MemberId, { members }: Outlook): Why {
  const others =
    members === undefined || members.length === 0 ? '' : `: the members are ${members.join(', ')}`;
  return { cause: 'removed', detail: `${self} is not a member${others}` };
}

/**
 * `won` only for an election that this member observed. An election that it hears of later, or from other members, is
 * `learned`.
 */
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
      return readReason(input.why) ?? reasonOf(self, input.command);
    case 'timer':
      if (!before.acting) return unheard(leader, happening.hasLeases);
      if (happening.illness !== null) return unwritten(self, happening.illness);
      return { cause: 'lost-quorum', detail: 'no majority has answered for a whole timeout' };
    case 'peer-gone':
      return gone(leader, input);
    case 'message':
      return explainMessage(self, before, input.from, input.message, happening);
    case 'start':
    case 'drawn':
    case 'peer-back':
    case 'seeds':
    case undefined:
      return { cause: 'started', detail: 'no election has been decided yet' };
  }
}

/** Why a leader is given up that is said to be gone. */
export function gone(leader: MemberId, { proof, witness }: Extract<Input, { type: 'peer-gone' }>): Why {
  const by = witness === undefined ? '' : `, witnessed by ${witness}`;
  const what = proof ? `its process is gone${by}` : 'its connection is closed';
  return { cause: 'closed', detail: `${leader} does not answer: ${what}` };
}

/** Why a leader stops leading after this command, if the caller gave no reason. */
export function reasonOf(self: MemberId, command: Command): Why {
  switch (command.type) {
    case 'transfer':
      return handedOver(self, command.to);
    case 'remove':
      return { cause: 'removed', detail: `${command.member} is removed` };
    case 'campaign':
      return { cause: 'started', detail: `${self} was asked to call an election` };
    case 'priority':
      return { cause: 'resigned', detail: `${self} no longer stands` };
    case 'resign':
    case 'publish':
    case 'reconfigure':
    case 'add':
      return { cause: 'resigned', detail: `${self} was asked to resign` };
  }
}

function explainMessage(
  self: MemberId,
  before: Outlook,
  from: MemberId,
  message: Message,
  { ending, effects, hasLeases, illness }: Happening,
): Why {
  const deposed: Why = { cause: 'deposed', detail: `${from} told of a newer election` };
  if (before.acting) {
    const to = successorIn(effects, ending);
    if (to !== null) return handedOver(self, to);
    if (illness === null) return deposed;
    return { ...deposed, detail: `${deposed.detail}; ${self} cannot write to its disk: ${illness}` };
  }
  const found = ending(message);
  // The leader knows best why it resigned. What this member observed is the same event.
  return (found && (readReason(found.why) ?? seenEnding(self, before, from, found, hasLeases))) ?? deposed;
}

function seenEnding(
  self: MemberId,
  { leader }: Outlook,
  from: MemberId,
  { how }: Ending,
  hasLeases: boolean,
): Why | null {
  switch (how) {
    case 'freed':
      return { cause: 'resigned', detail: `${from} has resigned` };
    case 'receiver':
      return handedOver(from, self);
    case 'sender':
      return leader === null ? null : handedOver(leader, from);
    case 'gone':
      return leader === null
        ? null
        : { cause: 'closed', detail: `${leader} does not answer: its process is gone, as ${from} says` };
    case 'unheard':
      return leader === null ? null : unheard(leader, hasLeases);
  }
}

/** The member to which these effects hand the leadership, or null. */
export function successorIn(effects: readonly Effect[], ending: Happening['ending']): MemberId | null {
  for (const effect of effects)
    if (effect.type === 'send' && ending(effect.message)?.how === 'receiver') return effect.to;
  return null;
}

/** A program may give a resignation reason of any length. The other members receive at most this much of it. */
const LONGEST_DETAIL = 240;

export function boundedReason({ cause, detail }: Why): Reason {
  const line = oneLine(detail);
  return {
    cause,
    detail: line.length > LONGEST_DETAIL ? `${line.slice(0, LONGEST_DETAIL - 1)}…` : line,
  };
}

/** The causes that a leader may give for ending its leadership. */
const GIVEN_UP: readonly Cause[] = [
  'resigned',
  'transferred',
  'lease-expired',
  'lost-quorum',
  'event-loop-blocked',
  'suspended',
  'store-unreachable',
  'unhealthy',
  'disk-failed',
  'closed',
];

/** A reason from another member is shown only if its cause is one that a leader may give. */
function readReason(reason: Reason | undefined): Why | null {
  const cause = GIVEN_UP.find((each) => each === reason?.cause);
  return reason === undefined || cause === undefined ? null : { cause, detail: oneLine(reason.detail) };
}

function handedOver(from: MemberId, to: MemberId): Why {
  return { cause: 'transferred', detail: `${from} hands over to ${to}` };
}

function unheard(leader: MemberId, hasLeases: boolean): Why {
  return {
    cause: hasLeases ? 'lease-expired' : 'silent',
    detail: `no message from ${leader} arrived in time`,
  };
}

/** Did no majority answer in time, was this process blocked, or did its disk refuse records? */
function explainExpiry(self: MemberId, { blockedMs, leaseMs, illness }: Happening): Why {
  if (blockedMs > leaseMs / 2) {
    const detail = `the event loop of ${self} was blocked for ${seconds(blockedMs)}`;
    return { cause: 'event-loop-blocked', detail };
  }
  if (illness !== null) return unwritten(self, illness);
  return { cause: 'lease-expired', detail: `no majority answered ${self} before its lease ran out` };
}

/** Messages behind a record that the disk refuses do not leave: the majority was never asked. */
function unwritten(self: MemberId, illness: string): Why {
  return {
    cause: 'lease-expired',
    detail: `${self} cannot write to its disk, so it did not renew its lease: ${illness}`,
  };
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** A command as an input. A leader that resigns because of it tells the others why. */
export function commandInput(self: MemberId, id: number, command: Command, why?: Why): Input {
  const endsLead = command.type === 'resign' || command.type === 'priority';
  if (!endsLead) return { type: 'command', id, command };
  return { type: 'command', id, command, why: boundedReason(why ?? reasonOf(self, command)) };
}
