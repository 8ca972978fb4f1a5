import { type MemberId, seenStep } from '../../../../src/core/index.ts';
import { explained } from '../../../../src/protocols/explained.ts';
import type { Entry, History } from '../../game/history/history.ts';

/** A rule that was used. */
export interface Fired {
  readonly rule: string;
  readonly member: MemberId;
  readonly atMs: number;
}

/** How long a rule stays marked, and how many entries are searched for it. */
const RECENT_MS = 1000;
const MOST_LOOKED = 200;

/** The id of the rule that a step followed. Null: none of them, or no step of a known protocol. */
export function ruleOf(protocol: string, entry: Entry): string | null {
  if (entry.kind !== 'step' || !Object.hasOwn(explained, protocol)) return null;
  return explained[protocol]!.ruleOf(seenStep(entry.input, entry.effects));
}

/** The rules that were used shortly before that moment, the latest first, each once. */
export function firedBefore(history: History, protocol: string, ms: number): Fired[] {
  const found = new Map<string, Fired>();
  const last = history.countAt(ms) - 1;
  for (let i = last; i >= 0 && i > last - MOST_LOOKED; i--) {
    const entry = history.entries[i]!;
    if (entry.atMs < ms - RECENT_MS) break;
    const rule = ruleOf(protocol, entry);
    if (rule === null || entry.kind !== 'step' || found.has(rule)) continue;
    found.set(rule, { rule, member: entry.member, atMs: entry.atMs });
  }
  return [...found.values()];
}

/** The rule of one entry that a visitor has picked. */
export function firedBy(history: History, protocol: string, index: number): Fired[] {
  const entry = history.entries[index];
  const rule = entry === undefined ? null : ruleOf(protocol, entry);
  if (entry?.kind !== 'step' || rule === null) return [];
  return [{ rule, member: entry.member, atMs: entry.atMs }];
}
