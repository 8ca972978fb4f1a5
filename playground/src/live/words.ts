/** What the dashboard says, in words. */
import type { Refused as RefusedDocument } from '../../../src/api/wire/index.ts';
import type { Change, ClusterMember, FleetMember, Id, State, Status } from './answers.ts';
import type { Entry } from './roster.ts';

const CAUSES: Readonly<Record<string, string>> = {
  started: 'It began',
  won: 'Elected',
  learned: 'Learned of',
  resigned: 'Resigned',
  transferred: 'Handed over',
  'lease-expired': 'Lease ran out',
  'lost-quorum': 'Majority lost',
  deposed: 'Replaced',
  'event-loop-blocked': 'Process was stuck',
  suspended: 'Machine was asleep',
  removed: 'Removed',
  'store-unreachable': 'Store out of reach',
  unhealthy: 'Could not do its work',
  'disk-failed': 'Disk failed',
  closed: 'Gone',
};

/** Unknown causes of later versions are shown unchanged. */
export function causeWords(cause: string): string {
  return CAUSES[cause] ?? cause;
}

export function clockTime(atMs: number): string {
  return new Date(atMs).toLocaleTimeString('en-GB');
}

export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}

export function milliseconds(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}

/** The change by which the current state began; null if it is not known yet. */
function lastTurn(history: readonly Change[], { leader, token }: State): Change | null {
  const last = history.findLastIndex((change) => change.leader !== leader || change.token !== token);
  return history[last + 1] ?? null;
}

/** Since when this member leads, or there is no leader; null if it is not known yet. */
export function standsSince(history: readonly Change[], status: State): number | null {
  return lastTurn(history, status)?.atMs ?? null;
}

/** A member that was paused or restarted hears of a leader that led before: then the time is when it heard of it. */
export function sinceLabel(history: readonly Change[], status: State): string {
  return lastTurn(history, status)?.cause === 'learned' ? 'Known since' : 'Since';
}

/** From the answer of one member, which may not be the leader. If other members can be asked, the leader will be. */
export function leaseWords(answer: Status | null, leader: Id | null, isAsked: boolean): string {
  if (leader === null) return 'none';
  const { acting = false, protocol, expiresInMs, voterId } = answer ?? {};
  if (!acting || voterId !== leader) return isAsked ? 'being asked…' : 'only the leader knows';
  return expiresInMs === null || expiresInMs === undefined
    ? `${protocol} has none`
    : `${milliseconds(expiresInMs)} left when asked`;
}

export type Look = 'leader' | 'follower' | 'unknown' | 'ill' | 'paused' | 'down' | 'starting';

export const GLYPHS: Readonly<Record<Look, string>> = {
  leader: '♛',
  follower: '',
  unknown: '?',
  ill: '!',
  paused: '‖',
  down: '✕',
  starting: '…',
};

/** If we started the processes their states are certain; else they are as other members see them. */
export function lookOf(
  { name, state }: ClusterMember,
  process: FleetMember | undefined,
  leader: Id | null,
): Look {
  const { state: doing } = process ?? {};
  if (doing === 'down' || doing === 'paused' || doing === 'starting') return doing;
  if (state === 'ill') return 'ill';
  if (state !== 'running') return 'unknown';
  return name === String(leader) ? 'leader' : 'follower';
}

const LOOKS: Readonly<Record<Look, string>> = {
  leader: 'leads',
  follower: 'follows',
  unknown: 'cannot be reached',
  ill: 'is ill',
  paused: 'is paused',
  down: 'is down',
  starting: 'is starting',
};

export function lookWords(look: Look): string {
  return LOOKS[look];
}

const WAYS: Readonly<Record<string, string>> = {
  link: 'connected',
  post: 'over HTTP',
  none: 'no connection',
};

export function linkWords({ member: { via, roundTripMs }, look, isCut }: Entry): string {
  if (look === 'down') return 'no connection';
  if (look === 'paused' || (via === 'self' && isCut)) return 'does not answer';
  if (via === 'self') return 'answers this page';
  if (isCut && via !== 'none') return 'not known';
  const way = WAYS[via] ?? via;
  return roundTripMs === null || via === 'none' ? way : `${way}, ${milliseconds(roundTripMs)}`;
}

/** The lag of a member is the number of messages that wait for it. */
export function lagWords({ member: { via, queued }, look, isCut }: Entry): string {
  if (via === 'self' || look === 'down') return '';
  if (queued > 0) return `${queued} waiting`;
  return isCut ? '' : 'none';
}

/** Members that report that they may act. More than one means two leaders. */
export function claimants(fleet: readonly FleetMember[] | null): readonly Id[] {
  return (fleet ?? []).filter(({ state }) => state === 'leading').map(({ id }) => id);
}

/** The page of another member; null if its address is not a URL. */
export function pageOf(url: string): string | null {
  return /^https?:\/\//.test(url) ? `${url.replace(/\/+$/, '')}/ui/` : null;
}

/** Why a command was not carried out, with the status of the answer; 0 if there was none. */
export interface Refused extends RefusedDocument {
  readonly status: number;
}

export function refusalWords({ status, message, outcome }: Refused): string {
  if (status === 0) return 'No answer. The command may have been carried out: see the history.';
  if (status === 403 || status === 401) return `Not allowed: ${message}.`;
  if (outcome === 'indefinite') return `It failed, but may have been carried out: ${message}.`;
  return `Refused: ${message}. It had no effect.`;
}
