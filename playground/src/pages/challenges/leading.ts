import { type MemberId, majority } from '../../../../src/core/index.ts';
import type { Stretch } from '../../../../src/simulation/index.ts';
import { countUpTo } from '../../game/history/track.ts';
import type { Played } from './challenge.ts';

/** A time in which the same members led together. */
export interface Together {
  readonly leaders: readonly Stretch[];
  readonly fromMs: number;
  readonly toMs: number;
}

/** When two or more led at once. */
export function together(stretches: readonly Stretch[], headMs: number): Together[] {
  const found: Together[] = [];
  const moments = new Set<number>([headMs]);
  for (const { fromUs, toUs } of stretches) {
    moments.add(fromUs / 1000);
    if (toUs !== null) moments.add(toUs / 1000);
  }
  const sorted = [...moments].filter((ms) => ms <= headMs).sort((a, b) => a - b);
  for (let i = 1; i < sorted.length; i++) {
    const [fromMs, toMs] = [sorted[i - 1]!, sorted[i]!];
    const leaders = stretches.filter(
      (each) => each.fromUs / 1000 <= fromMs && endMs(each, headMs) >= toMs && toMs > fromMs,
    );
    if (leaders.length > 1) found.push({ leaders, fromMs, toMs });
  }
  return found;
}

/** For how long, up to now and no earlier than that moment, there were always two leaders or more. */
export function togetherUntilNow(stretches: readonly Stretch[], headMs: number, sinceMs: number): number {
  let fromMs = headMs;
  for (const each of together(stretches, headMs).reverse()) {
    if (each.toMs !== fromMs) break;
    fromMs = each.fromMs;
  }
  return Math.max(0, headMs - Math.max(fromMs, sinceMs));
}

export function endMs({ toUs }: Stretch, headMs: number): number {
  return toUs === null ? headMs : toUs / 1000;
}

/** The current leaders in words: "3 (epoch 1) and 5 (epoch 2)". Empty if there is none. */
export function leadersNow({ history, headMs }: Played, word: string): string {
  return namesOf(
    history.claims.filter((each) => each.toUs === null || each.toUs / 1000 > headMs),
    word,
  );
}

export function namesOf(leaders: readonly Stretch[], word: string): string {
  return leaders
    .map(({ member, term }) => (term === null ? `${member}` : `${member} (${word} ${term})`))
    .join(' and ');
}

/** Can all members reach each other, directly or through others? */
export function isWhole(members: readonly MemberId[], blocked: ReadonlySet<string> | undefined): boolean {
  if (blocked === undefined || blocked.size === 0) return true;
  const reaches = (hears: (from: MemberId, to: MemberId) => boolean): boolean => {
    const seen = new Set<MemberId>([members[0]!]);
    for (const from of seen) for (const to of members) if (hears(from, to)) seen.add(to);
    return seen.size === members.length;
  };
  // Strongly connected: the first reaches all, and all reach the first.
  return (
    reaches((from, to) => !blocked.has(`${from}>${to}`)) &&
    reaches((from, to) => !blocked.has(`${to}>${from}`))
  );
}

/** Can some member talk to a majority, itself included, in both directions? */
export function hasMajority(members: readonly MemberId[], blocked: ReadonlySet<string> | undefined): boolean {
  return members.some((id) => talksToMajority(id, members, blocked));
}

export function talksToMajority(
  id: MemberId,
  members: readonly MemberId[],
  blocked: ReadonlySet<string> | undefined,
): boolean {
  const open = members.filter(
    (each) => each === id || !(blocked?.has(`${each}>${id}`) || blocked?.has(`${id}>${each}`)),
  );
  return open.length >= majority(members.length);
}

/** Did all of them run, from then on? */
export function allRan({ history, headMs }: Played, fromMs: number): boolean {
  return history.members.every((id) => {
    const { timesMs, values } = history.shots.get(id)!;
    const first = Math.max(0, countUpTo(timesMs, fromMs) - 1);
    const last = countUpTo(timesMs, headMs);
    return values.slice(first, last).every(({ alive, paused }) => alive && !paused);
  });
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
