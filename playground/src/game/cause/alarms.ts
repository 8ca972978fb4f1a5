import type { MemberId } from '../../../../src/core/index.ts';
import type { Stretch, Violation } from '../../../../src/simulation/index.ts';
import type { History } from '../history/history.ts';

/**
 * `idle`: two members believe that they lead, and at most one of them may act. `apart`: two act in different terms.
 * `same`: two act in one term, or in a protocol without terms, so that their writes cannot be distinguished.
 * `broken`: a broken promise, or two winners of one term at different times.
 */
export type Alarm = Double | Broken;

interface Claimant {
  readonly member: MemberId;
  readonly term: number | null;
}

export interface Double {
  readonly kind: 'idle' | 'apart' | 'same';
  /** The members that lead at once, the newest claim last. */
  readonly leaders: readonly Claimant[];
  readonly fromMs: number;
  /** Null while it lasts. */
  readonly toMs: number | null;
  /** The property that it breaks: one winner per term, or one leader at a time. */
  readonly property: 'S1' | 'S10';
  /** The violation that the watch reported when it began. */
  readonly violation: Violation | null;
}

interface Broken {
  readonly kind: 'broken';
  readonly fromMs: number;
  readonly toMs: null;
  readonly violation: Violation;
}

/** What has gone wrong up to that moment and lasts, the gravest first. */
export function alarmsAt(history: History, ms: number): Alarm[] {
  const { claims, acting, violations } = history;
  const seen = violations.filter((each) => each.atMs <= ms);
  const found: Alarm[] = [];
  const double = doubleAt(acting, seen, ms);
  if (double !== null) found.push(double);
  for (const violation of seen) {
    if (isGrave(violation) && !isToldBy(double, violation)) {
      found.push({ kind: 'broken', fromMs: violation.atMs, toMs: null, violation });
    }
  }
  if (double === null) {
    const idle = doubleAt(claims, [], ms);
    if (idle !== null) found.push({ ...idle, kind: 'idle' });
  }
  return found;
}

/** The last time before that moment that two could act at once, if it was over by then. */
export function lastDouble(history: History, ms: number): Double | null {
  const us = Math.round(ms * 1000);
  const { acting, violations } = history;
  let last: { fromUs: number; toUs: number } | null = null;
  const open: Stretch[] = [];
  for (const each of acting) {
    if (each.fromUs > us) break;
    for (let i = open.length - 1; i >= 0; i--) {
      if (endOf(open[i]!) <= each.fromUs) open.splice(i, 1);
    }
    for (const other of open) {
      const toUs = Math.min(endOf(other), endOf(each));
      if (toUs > each.fromUs && toUs <= us && toUs > (last?.toUs ?? -1)) last = { fromUs: each.fromUs, toUs };
    }
    open.push(each);
  }
  if (last === null) return null;
  const justBefore = doubleAt(acting, violations, (last.toUs - 1) / 1000);
  return justBefore === null ? null : { ...justBefore, toMs: last.toUs / 1000 };
}

function doubleAt(stretches: readonly Stretch[], seen: readonly Violation[], ms: number): Double | null {
  const us = Math.round(ms * 1000);
  const open = stretches.filter((each) => each.fromUs <= us && endOf(each) > us);
  if (open.length < 2) return null;
  // It began when the second current leader joined the first.
  const fromUs = open.map((each) => each.fromUs).sort((a, b) => a - b)[1]!;
  const ends = open.map(endOf).sort((a, b) => b - a);
  const toUs = ends[1]!;
  const terms = open.map((each) => each.term);
  const isApart = !terms.includes(null) && new Set(terms).size === terms.length;
  const broken = isApart || terms.includes(null) ? 'S10' : 'S1';
  const members = new Set(open.map((each) => each.member));
  const violation = seen.findLast(
    ({ property, members: told }) => property === broken && told.every((id) => members.has(id)),
  );
  return {
    kind: isApart ? 'apart' : 'same',
    leaders: open.map(({ member, term }) => ({ member, term })),
    fromMs: fromUs / 1000,
    toMs: Number.isFinite(toUs) ? toUs / 1000 : null,
    property: broken,
    violation: violation ?? null,
  };
}

/** Fencing tokens need one winner per term, so this is grave in every protocol. */
export function isGrave({ property, claimed }: Violation): boolean {
  return claimed || property === 'S1';
}

function isToldBy(double: Double | null, violation: Violation): boolean {
  return double !== null && violation === double.violation;
}

function endOf({ toUs }: Stretch): number {
  return toUs ?? Number.POSITIVE_INFINITY;
}

/** The property that a shorter run has to break as well. */
export function propertyOf(alarm: Alarm): string {
  return alarm.kind === 'broken' ? alarm.violation.property : alarm.property;
}

/** When the next thing goes wrong after that moment, as far as it is known. */
export function nextAlarmMs(history: History, ms: number): number | null {
  const isTold = (each: Violation): boolean => each.property === 'S10' || isGrave(each);
  return history.violations.find((each) => each.atMs > ms && isTold(each))?.atMs ?? null;
}
