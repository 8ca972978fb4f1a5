import type { Act, HistoryEntry } from '../../../api/wire/index.ts';

/** What one member tells. */
export interface Account {
  readonly member: string;
  /** Oldest first. */
  readonly changes: readonly HistoryEntry[];
  readonly acts: readonly Act[];
}

export type Merged = (HistoryEntry | Act) & {
  /** The members that saw it. */
  readonly seenBy: readonly string[];
};

/**
 * One list of what several members saw. A leadership begins once and ends once; the members that saw it are listed
 * beside it.
 *
 * - Of an end, the words are those of the member that led: the others can only tell that they heard nothing more. Example:
 *   b led with token 7 and its event loop was blocked; a and c say "lease-expired", b says "event-loop-blocked", and b is
 *   right. But b noticed it when it was no longer blocked, so the time is that of the others.
 * - Leaderships are in the order of their tokens, whatever the clocks say, and one clock that is wrong does not decide
 *   about the time: of several times the middle one is taken.
 * - A member that lost the connection to a leader which led on saw no end.
 */
export function mergeHistories(accounts: readonly Account[]): readonly Merged[] {
  const events = new Map<string, Event>();
  const loose: Merged[] = [];
  const reigning = new Set(accounts.flatMap(leadsStill));
  for (const { member, changes, acts } of accounts) {
    for (const act of acts) loose.push({ ...act, seenBy: [member] });
    let led: HistoryEntry | null = null;
    for (const [i, entry] of changes.entries()) {
      if (entry.leader !== null && entry.token !== null) {
        note(events, 'began', entry, entry, member);
        led = entry;
        continue;
      }
      const ended: HistoryEntry | null = entry.about === 'member' ? null : led;
      const isEnd = ended !== null && !isSame(ended, nextLed(changes, i)) && !reigning.has(keyOf(ended));
      if (isEnd) note(events, 'ended', ended, entry, member);
      else loose.push({ ...entry, seenBy: [member] });
      if (isEnd || entry.about === 'member') led = null;
    }
  }
  const inOrder = [...events.values()].sort((a, b) => compare(a.token, b.token) || compare(a.kind, b.kind));
  return byTime(inOrder.map(told), loose);
}

/** The beginning or the end of one leadership. `began` sorts before `ended`. */
interface Event {
  readonly kind: 'began' | 'ended';
  readonly leader: string;
  readonly token: bigint;
  readonly accounts: { readonly member: string; readonly entry: HistoryEntry }[];
}

function note(
  events: Map<string, Event>,
  kind: Event['kind'],
  led: HistoryEntry,
  entry: HistoryEntry,
  member: string,
): void {
  const key = `${kind} ${keyOf(led)}`;
  const event = events.get(key) ?? {
    kind,
    leader: String(led.leader),
    token: BigInt(led.token!),
    accounts: [],
  };
  events.set(key, event);
  // If it lost the leader and heard of it again, the last time counts.
  const before = event.accounts.findIndex((account) => account.member === member);
  if (before < 0) event.accounts.push({ member, entry });
  else if (kind === 'ended') event.accounts[before] = { member, entry };
}

function told({ kind, leader, accounts }: Event): Merged {
  const own = accounts.find(({ member }) => member === leader);
  const others = accounts.filter((account) => account !== own);
  // A member may hear of a leader long after its election.
  const witnesses = others.filter(({ entry }) => entry.cause !== 'learned');
  const seers = kind === 'began' ? [...(own === undefined ? [] : [own]), ...witnesses] : others;
  const times = (seers.length === 0 ? accounts : seers).map(({ entry }) => entry.atMs).sort((a, b) => a - b);
  const { entry } = own ?? witnesses[0] ?? accounts[0]!;
  const atMs = times[Math.floor((times.length - 1) / 2)]!;
  const seenBy = accounts.map(({ member }) => member).sort();
  return { ...entry, at: new Date(atMs).toISOString(), atMs, seenBy };
}

/** Both lists, the first in its own order. */
function byTime(ordered: readonly Merged[], loose: readonly Merged[]): readonly Merged[] {
  const rest = [...loose].sort((a, b) => a.atMs - b.atMs);
  const merged = ordered.flatMap((event) => {
    const later = rest.findIndex(({ atMs }) => atMs > event.atMs);
    const earlier = rest.splice(0, later < 0 ? rest.length : later);
    return [...earlier, event];
  });
  return [...merged, ...rest];
}

/** The leadership of this member that had not ended when it was asked. */
function leadsStill({ member, changes }: Account): string[] {
  const last = changes.at(-1);
  return last !== undefined && String(last.leader) === member && last.token !== null ? [keyOf(last)] : [];
}

function nextLed(changes: readonly HistoryEntry[], from: number): HistoryEntry | undefined {
  return changes.slice(from + 1).find(({ leader, token }) => leader !== null && token !== null);
}

function isSame(one: HistoryEntry, other: HistoryEntry | undefined): boolean {
  return other !== undefined && keyOf(one) === keyOf(other);
}

function keyOf({ leader, token }: HistoryEntry): string {
  return `${leader} ${token}`;
}

function compare<T extends bigint | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
