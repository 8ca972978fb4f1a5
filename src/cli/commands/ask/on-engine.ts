import type { RunList } from '../../../api/wire/index.ts';
import { type Json, number } from '../../../core/index.ts';
import { CaucusError, type Election, type Observation } from '../../../election/index.ts';
import type { EngineFlags } from '../../input/engine-flags.ts';
import { electionOf, openEngineOf } from '../../input/open-engine.ts';
import { harmless, oneLine, Refusal } from '../../input/refusal.ts';
import { untilStopped } from '../../terminal/until-stopped.ts';
import type { AskFlags } from './ask-flags.ts';
import { NoAnswer } from './member-client.ts';
import { printRuns } from './runs.ts';

export type EngineAskFlags = AskFlags & EngineFlags;

const PATIENCE_MS = 15_000;
const MS_PER_S = 1000;
/** A leader's work has 10 s to stop, and without a wake-up the leader sees a request only when it renews. */
const WAIT_S = 30;
const LONGEST_WAIT_S = 86_400;
/** How long we wait for the next leader: candidates are woken at once. */
const NEXT_MS = 5000;
const print = (text: string): void => void process.stdout.write(`${harmless(text)}\n`);

/** Opens the election on its store as an observer, for the duration of `look`. */
async function looking<T>(
  flags: EngineAskFlags,
  urls: readonly string[],
  look: (election: Election) => Promise<T>,
): Promise<T> {
  if (urls.length > 0) throw new Refusal('URL: expected none beside --engine');
  const engine = await openEngineOf(flags);
  let election: Election | null = null;
  try {
    election = electionOf(flags, engine);
    return await look(election);
  } finally {
    await election?.close();
    await engine.close();
  }
}

/** The first state that the store returns. */
async function firstReading(election: Election): Promise<Observation> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    for await (const observation of election.observe({ signal })) {
      if (observation.cause === 'store-unreachable') throw new NoAnswer(observation.detail, 503);
      if (observation.isKnown) return observation;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  throw new NoAnswer(`the store has not answered within ${PATIENCE_MS / 1000} s`, 503);
}

const tokenText = (token: bigint | null): string | null => (token === null ? null : String(token));

export function leaderOnEngine(urls: readonly string[], flags: EngineAskFlags): Promise<number> {
  return looking(flags, urls, async (election) => {
    const { leader, token } = await firstReading(election);
    if (flags.json) print(JSON.stringify({ name: leader, token: tokenText(token) }));
    else if (leader !== null) print(leader);
    else process.stderr.write('caucus: no leader\n');
    return leader === null ? 1 : 0;
  });
}

export function statusOnEngine(urls: readonly string[], flags: EngineAskFlags): Promise<number> {
  return looking(flags, urls, async (election) => {
    const { leader, token, value, version } = await firstReading(election);
    if (flags.json)
      print(JSON.stringify({ electionName: election.name, leader, token: tokenText(token), version, value }));
    else
      print(
        `${election.name}: ${leader === null ? 'there is no leader' : `${leader} leads, token ${token}`}`,
      );
    return leader === null ? 1 : 0;
  });
}

export async function valueOnEngine(
  urls: readonly string[],
  { set, ...flags }: EngineAskFlags & { readonly set?: string },
): Promise<number> {
  if (set !== undefined)
    throw new Refusal('--set: expected none beside --engine: only the process that leads can publish there');
  return looking(flags, urls, async (election) => {
    const { value, version } = await firstReading(election);
    print(flags.json ? JSON.stringify({ version, value }) : JSON.stringify(value));
    return 0;
  });
}

export function runsOnEngine(urls: readonly string[], flags: EngineAskFlags): Promise<number> {
  const list = (): Promise<RunList> =>
    looking(flags, urls, async (election) => {
      await firstReading(election);
      try {
        return { electionName: election.name, ...election.runs };
      } catch (error) {
        if (error instanceof CaucusError) throw new NoAnswer(error.message, 409);
        throw error;
      }
    });
  const published = (election: string): Promise<Json> =>
    looking({ ...flags, election }, urls, async (other) => (await firstReading(other)).value);
  return printRuns({ list, published }, flags);
}

export interface ResignFlags {
  readonly reason?: string;
  readonly wait?: string;
}

/** Requests the leader's resignation, and prints the next leader. The leader decides: nothing is taken from it. */
export function resignOnEngine(
  urls: readonly string[],
  { reason = '', wait, ...flags }: EngineAskFlags & ResignFlags,
): Promise<number> {
  const waitS = wait === undefined ? WAIT_S : readWait(wait);
  return looking(flags, urls, async (election) => {
    const { leader, token } = await firstReading(election);
    if (leader === null) throw new NoAnswer('there is no leader', 503);
    try {
      await election.askToResign({ reason, ...(token === null ? {} : { token }) });
    } catch (error) {
      if (!(error instanceof CaucusError)) throw error;
      throw new NoAnswer(error.message, 503);
    }
    const isOther = (now: Observation): boolean => now.leader !== leader || now.token !== token;
    if ((await seenWithin(election, waitS * MS_PER_S, isOther)) === null) {
      const silence = `${leader} did not resign within ${waitS} s`;
      throw new NoAnswer(
        `${silence}: its work may take longer to stop, or it is no participant of Caucus`,
        503,
      );
    }
    const next = await seenWithin(election, NEXT_MS, (now) => isOther(now) && now.leader !== null);
    if (flags.json) {
      const before = { name: leader, token: tokenText(token) };
      const now = next === null ? null : { name: next.leader, token: tokenText(next.token) };
      print(JSON.stringify({ electionName: election.name, before, leader: now }));
    } else {
      const now = next === null ? 'there is no leader yet' : `${next.leader} (token ${next.token}) leads now`;
      print(`${leader} (token ${token}) no longer leads; ${now}`);
    }
    return 0;
  });
}

/** The first state that matches; null if none does in time. */
async function seenWithin(
  election: Election,
  withinMs: number,
  fits: (observation: Observation) => boolean,
): Promise<Observation | null> {
  const signal = AbortSignal.timeout(withinMs);
  for await (const observation of election.observe({ signal })) {
    if (observation.cause !== 'store-unreachable' && fits(observation)) return observation;
  }
  return null;
}

function readWait(text: string): number {
  return number(0, LONGEST_WAIT_S).read(/^\d+(?:\.\d+)?$/.test(text) ? Number(text) : text, '--wait');
}

/** Prints the current state, then every change, until Ctrl-C. */
export function watchOnEngine(urls: readonly string[], flags: EngineAskFlags): Promise<number> {
  return looking(flags, urls, async (election) => {
    const over = new AbortController();
    void untilStopped().then(() => over.abort());
    try {
      for await (const { leader, token, cause, detail, version } of election.observe({
        signal: over.signal,
      })) {
        const who = leader === null ? 'there is no leader' : `${leader} leads, token ${token}`;
        if (flags.json) print(JSON.stringify({ leader, token: tokenText(token), version, cause, detail }));
        else print(`${new Date().toISOString()}  ${oneLine(`${who} (${cause}: ${detail})`)}`);
      }
    } catch (error) {
      if (!over.signal.aborted) throw error;
    }
    return 0;
  });
}
