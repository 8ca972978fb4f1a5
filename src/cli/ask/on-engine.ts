import { Election, type Observation } from '../../election/index.ts';
import { type EngineFlags, openEngineOf } from '../engine/engine-flags.ts';
import { oneLine, Refusal } from '../refusal.ts';
import { untilStopped } from '../until-stopped.ts';
import { NoAnswer } from './member-client.ts';
import type { AskFlags } from './status.ts';

export type EngineAskFlags = AskFlags & EngineFlags;

const PATIENCE_MS = 15_000;
const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Opens the election on its store, to look and not to stand, for as long as this takes. */
async function looking<T>(
  flags: EngineAskFlags,
  urls: readonly string[],
  look: (election: Election) => Promise<T>,
): Promise<T> {
  if (urls.length > 0) throw new Refusal('URL: expected none beside --engine');
  const engine = await openEngineOf(flags);
  const election = new Election(flags.election ?? 'main', engine);
  try {
    return await look(election);
  } finally {
    await election.close();
    await engine.close();
  }
}

/** How it stands, once the store has been asked. */
async function firstReading(election: Election): Promise<Observation> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    for await (const observation of election.observe({ signal })) {
      if (observation.cause === 'store-unreachable') throw new NoAnswer(observation.detail, 503);
      if (observation.leader !== null || observation.detail === 'nobody leads') return observation;
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
    return leader === null ? 1 : 0;
  });
}

export function statusOnEngine(urls: readonly string[], flags: EngineAskFlags): Promise<number> {
  return looking(flags, urls, async (election) => {
    const { leader, token, value, version } = await firstReading(election);
    if (flags.json)
      print(JSON.stringify({ electionName: election.name, leader, token: tokenText(token), version, value }));
    else print(`${election.name}: ${leader === null ? 'nobody leads' : `${leader} leads, token ${token}`}`);
    return leader === null ? 1 : 0;
  });
}

export function valueOnEngine(urls: readonly string[], flags: EngineAskFlags): Promise<number> {
  return looking(flags, urls, async (election) => {
    const { value, version } = await firstReading(election);
    print(flags.json ? JSON.stringify({ version, value }) : JSON.stringify(value));
    return version > 0 ? 0 : 1;
  });
}

/** Prints how it stands, then every change, until Ctrl-C. */
export function watchOnEngine(urls: readonly string[], flags: EngineAskFlags): Promise<number> {
  return looking(flags, urls, async (election) => {
    const over = new AbortController();
    void untilStopped().then(() => over.abort());
    try {
      for await (const { leader, token, cause, detail, version } of election.observe({
        signal: over.signal,
      })) {
        const who = leader === null ? 'nobody leads' : `${leader} leads, token ${token}`;
        if (flags.json) print(JSON.stringify({ leader, token: tokenText(token), version, cause, detail }));
        else print(`${new Date().toISOString()}  ${oneLine(`${who} (${cause}: ${detail})`)}`);
      }
    } catch (error) {
      if (!over.signal.aborted) throw error;
    }
    return 0;
  });
}
