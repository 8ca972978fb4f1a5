/** Many elections on one page: which of them are shown, and what has changed in them. */
import { byName } from '../../../src/api/wire/index.ts';
import type { ElectionChange, ElectionEntry, Id } from './answers.ts';

/** With more than these a list of all is shown first; fewer can be chosen in the head of the page. */
export const FEW = 12;

/** What the visitor looks for. */
export interface Wanted {
  /** A part of the name; the case does not matter. */
  readonly text: string;
  /** Led by this member, by none (null), or by any (undefined). */
  readonly by: string | null | undefined;
}

/** Those that fit, ordered by name. */
export function fitting(elections: readonly ElectionEntry[], { text, by }: Wanted): readonly ElectionEntry[] {
  const part = text.trim().toLowerCase();
  return elections
    .filter(({ electionName, leader }) => {
      if (by === null && leader !== null) return false;
      if (typeof by === 'string' && String(leader) !== by) return false;
      return electionName.toLowerCase().includes(part);
    })
    .sort((a, b) => byName(a.electionName, b.electionName));
}

/** The same change in one or several elections. */
export interface Group {
  /** Of the newest of them. */
  readonly atMs: number;
  readonly cause: string;
  readonly leader: Id | null;
  /** Ordered by name, each once. */
  readonly names: readonly string[];
  /** What all of them say; null if they differ, in their tokens for example. */
  readonly detail: string | null;
}

/** Changes of one cause and leader belong together if they are no further apart: the death of a member ends all that it led. */
const TOGETHER_MS = 2000;

/** The newest groups first. `changes` has the oldest first. */
export function grouped(changes: readonly ElectionChange[], most: number): readonly Group[] {
  interface Growing extends Group {
    fromMs: number;
    names: string[];
    detail: string | null;
  }
  const groups: Growing[] = [];
  const open = new Map<string, Growing>();
  for (const { atMs, cause, leader, detail, electionName } of changes.toReversed()) {
    const key = JSON.stringify([cause, leader]);
    const group = open.get(key);
    if (group !== undefined && group.fromMs - atMs <= TOGETHER_MS) {
      group.fromMs = atMs;
      group.names.push(electionName);
      if (group.detail !== detail) group.detail = null;
      continue;
    }
    const next: Growing = { atMs, fromMs: atMs, cause, leader, names: [electionName], detail };
    open.set(key, next);
    groups.push(next);
  }
  return groups.slice(0, most).map((group) => ({ ...group, names: [...new Set(group.names)].sort(byName) }));
}

/** What has happened to a group, without its names. */
export function groupWords({ detail, leader }: Group): string {
  return detail ?? (leader === null ? 'no leader' : `${leader} leads`);
}

export function figure(count: number): string {
  return count.toLocaleString('en');
}

/** Do all have a leader? */
export function tallyWords(count: number, without: number): string {
  if (without === 0) return `All ${figure(count)} elections have a leader`;
  return `${figure(without)} of ${figure(count)} elections ${without === 1 ? 'has' : 'have'} no leader`;
}
