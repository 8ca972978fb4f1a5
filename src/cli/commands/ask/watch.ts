/** `caucus watch`: the changes of leader as they happen, from whichever of the given members answers. */
import { setTimeout as wait } from 'node:timers/promises';
import { type HistoryEntry, history, type State, state } from '../../../api/wire/index.ts';
import { harmless, oneLine } from '../../input/refusal.ts';
import { untilStopped } from '../../terminal/until-stopped.ts';
import type { AskFlags } from './ask-flags.ts';
import { membersToAsk } from './first-answer.ts';
import { type MemberClient, NoAnswer } from './member-client.ts';

const RECONNECT_MS = 500;
/** How long the next member may take to tell what was missed; the stream waits for that long. */
const HISTORY_WITHIN_MS = 2000;

/**
 * Prints the current state, then every change, until Ctrl-C. If a member disconnects, the next one is asked, also for
 * the changes that were missed meanwhile. A member that can never answer is not asked again.
 */
export async function watchCommand(urls: readonly string[], flags: AskFlags): Promise<number> {
  let members = membersToAsk(urls, flags);
  const over = new AbortController();
  void untilStopped().then(() => over.abort());
  const screen = new Screen(flags.json === true);
  /** What was wrong with each member the last time: told once, and again when it changes. */
  const problems = new Map<MemberClient, string>();
  for (let i = 0; !over.signal.aborted; i++) {
    const asked = members[i % members.length]!;
    try {
      let isFirst = true;
      for await (const event of asked.events('/watch', state, over.signal)) {
        problems.clear();
        if (isFirst) screen.tellMissed(event, await missedAt(asked, screen.last, event));
        isFirst = false;
        screen.tell(event);
      }
    } catch (error) {
      if (over.signal.aborted) break;
      if (error instanceof NoAnswer && error.isFinal) {
        members = members.filter((member) => member !== asked);
        if (members.length === 0) throw error;
      }
      const message = error instanceof NoAnswer ? error.message : `${asked.url}: the connection was closed`;
      const next = error instanceof NoAnswer && error.isFinal ? 'asking only the others' : 'trying again';
      if (message !== problems.get(asked)) process.stderr.write(`caucus: ${oneLine(message)}; ${next}\n`);
      problems.set(asked, message);
    }
    await wait(RECONNECT_MS, undefined, { signal: over.signal }).catch(() => {});
  }
  return 0;
}

/** What was printed, and whether a line would only repeat it. */
class Screen {
  /** The last state that was shown, with the token of the last leader if it has none. */
  last: Pick<State, 'leader' | 'token'> | null = null;
  readonly #isJson: boolean;
  #line = '';

  constructor(isJson: boolean) {
    this.#isJson = isJson;
  }

  tell(event: State): void {
    const { leader, token } = event;
    this.last = { leader, token: token ?? this.last?.token ?? null };
    this.#print(this.#isJson ? JSON.stringify(event) : stateWords(event), new Date().toISOString());
  }

  /** `entries` end with that of the event itself, which JSON shows as a whole state. */
  tellMissed(event: State, entries: readonly HistoryEntry[]): void {
    for (const entry of entries) {
      if (!this.#isJson) this.#print(entryWords(entry), entry.at);
      else if (!isOf(event)(entry)) this.#print(JSON.stringify(entry), entry.at);
    }
  }

  #print(line: string, at: string): void {
    if (line !== this.#line) process.stdout.write(`${harmless(this.#isJson ? line : `${at}  ${line}`)}\n`);
    this.#line = line;
  }
}

/** The changes between the last state that was shown and the first state of another stream, and the change to that one. */
async function missedAt(asked: MemberClient, last: Screen['last'], now: State): Promise<HistoryEntry[]> {
  if (last === null || isOf(now)(last)) return [];
  try {
    const { history: entries } = await asked.get('/history', history, HISTORY_WITHIN_MS);
    return missed(entries, last, now);
  } catch {
    return []; // The state itself is known; only how it came to be is not.
  }
}

/** Members number leaderships alike, but their clocks differ: so the place is found by token, not by time. */
function missed(
  entries: readonly HistoryEntry[],
  last: Pick<State, 'leader' | 'token'>,
  now: State,
): HistoryEntry[] {
  const { token } = last;
  if (token === null) return [];
  const end = entries.findLastIndex((entry) => isOf(now)(entry) && entry.cause === now.cause);
  const known = entries.findLastIndex((entry) => entry.token === token);
  const later = entries.findIndex((entry) => entry.token !== null && BigInt(entry.token) > BigInt(token));
  let start = known >= 0 ? known + 1 : later >= 0 ? later : entries.length;
  // The end of that leadership was shown already.
  if (last.leader === null) while (entries[start]?.leader === null) start++;
  return entries.slice(start, end + 1);
}

const isOf =
  ({ leader, token }: Pick<State, 'leader' | 'token'>) =>
  (other: Pick<State, 'leader' | 'token'>): boolean =>
    other.leader === leader && other.token === token;

function stateWords({ voterId, acting, illness, ...event }: State): string {
  // A leader that resigns or transfers is still the leader while its work stops, but may not act.
  const does = event.leader === voterId && !acting ? 'may not act' : 'leads';
  return `${entryWords(event, does)}${illness === null ? '' : oneLine(`; ill: ${illness}`)}`;
}

function entryWords(
  { leader, token, cause, detail }: Pick<State, 'leader' | 'token' | 'cause' | 'detail'>,
  does = 'leads',
): string {
  const who =
    leader === null ? 'there is no leader' : `${leader} ${does}${token === null ? '' : `, token ${token}`}`;
  return oneLine(`${who} (${detail === '' ? cause : `${cause}: ${detail}`})`);
}
