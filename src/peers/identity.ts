import type { ClusterRecovery, MemberId } from '../core/index.ts';
import { isSameHost } from './witness.ts';

/**
 * What a process says of itself in the greeting, so that it can be distinguished from others and its death can be
 * proven later.
 */
export interface Identity {
  readonly id: MemberId;
  readonly cluster: string;
  /** Counts its starts on one data folder: for people. */
  readonly incarnation: number;
  /** Names the process: random, and never used by another. */
  readonly life: string;
  readonly url: string;
  /**
   * The protocol and its settings, in JSON: a member with other settings might make promises that are too short for
   * ours. With `mayDiffer`, every request says for how long, and times may differ.
   */
  readonly rules?: string;
  /** The recovery that its cluster comes from; omitted if it comes from none, and by releases that know of none. */
  readonly recovery?: ClusterRecovery | undefined;
  /** Its disk has no seat in any cluster yet: it may join any. Omitted by a member of one, and by earlier releases. */
  readonly isBlank?: boolean | undefined;
  /** What it understands beyond the first release that speaks this version of the messages, which omits it. */
  readonly features?: readonly string[] | undefined;
  /** Where the process runs; null if the system does not tell. */
  readonly process: ProcessIdentity | null;
  /** Where processes of the same kernel can reach it (member/links/local-socket.ts). */
  readonly localSocket?: string | undefined;
}

/**
 * What later releases added to the messages between members, and is used only when all members understand it: members
 * with addresses in the register, pauses in it, times, requests for support that stand for the heartbeats of many
 * elections, and deputies.
 */
export const FEATURES = ['addresses', 'pauses', 'timing', 'support', 'deputies'] as const;
/** Among the features of a process that understands several messages in one frame. Senders choose by it, and no message differs. */
export const TAKES_LISTS = 'lists';
export type Feature = (typeof FEATURES)[number];

/** What the release of a process understands, if it understands less than this one; else null. */
export function earlierThanThis({ features = [] }: Identity): readonly string[] | null {
  return FEATURES.every((each) => features.includes(each)) ? null : features;
}

/** One process of one boot of one host. `startTime` distinguishes it from a later one with the same pid. */
export interface ProcessIdentity {
  readonly bootId: string;
  /** Where its pid and its start time are valid: the pid namespace, and the time namespace if there is one. */
  readonly pidNamespace: string;
  readonly pid: number;
  readonly startTime: string;
}

/**
 * Neither clocks nor pids are enough: a clock can be set back, and two hosts have the same pids. But a life is known
 * to all peers, so a process that sends one must also run where that process runs.
 */
export function isSameProcess(one: Identity, other: Identity): boolean {
  return one.life === other.life && isSamePlace(one, other);
}

/** Could the other process run on our kernel, by what it says of itself? Clones of a virtual machine say so too. */
export function isNeighbour(own: Identity, other: Identity): boolean {
  const [here, there] = [own.process, other.process];
  return here !== null && there !== null && isSameHost(here, there);
}

function isSamePlace(one: Identity, other: Identity): boolean {
  const [here, there] = [one.process, other.process];
  if (one.localSocket !== other.localSocket) return false;
  return here === null || there === null ? here === there : isSamePid(here, there);
}

/** The same pid of the same host, and not a later process that was given the same one. */
export function isSamePid(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return isSameHost(one, other) && one.pid === other.pid && one.startTime === other.startTime;
}

export function named(identity: Identity): string {
  return `member ${identity.id} at ${identity.url}`;
}

export function sharedId(one: Identity, other: Identity): string {
  return `two live processes say that they are member ${one.id}: ${placed(one)} and ${placed(other)}; stop one of them`;
}

function placed({ url, process: where }: Identity): string {
  return where === null ? url : `${url} (pid ${where.pid})`;
}
