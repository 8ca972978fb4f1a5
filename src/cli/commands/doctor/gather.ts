/**
 * Asks all members of a cluster: those that were given, and those that these have configured. A member that does not
 * answer is part of the result, never an error.
 */
import { connect } from 'node:net';
import { type Diagnosis, diagnosis, type Status, status } from '../../../api/wire/index.ts';
import type { MemberId } from '../../../core/index.ts';
import { Refusal } from '../../input/refusal.ts';
import { type MemberClient, NoAnswer } from '../ask/member-client.ts';
import { Trusted } from '../ask/trusted.ts';
import type { ClockReading, Failure, Gathered, Place } from './gathered.ts';

/** A member that runs answers much sooner, also on a busy machine. */
const ANSWER_WITHIN_MS = 3000;
const CONNECT_WITHIN_MS = 1000;
/** More than any cluster has; a member that names endless others does not keep the command busy. */
const MOST_PLACES = 200;

type Found = Omit<Place, 'named'>;

export async function gather(given: readonly MemberClient[]): Promise<Gathered> {
  const asked = new Map<string, Promise<Found>>();
  const ask = (client: MemberClient): Promise<Found> => {
    const known = asked.get(client.url);
    if (known !== undefined) return known;
    const answer = look(client);
    asked.set(client.url, answer);
    return answer;
  };
  const first = await Promise.all(given.map(ask));
  const trusted = trustedBy(given, first);
  // The members that the given ones name, then those that only these name: they may have other configurations.
  for (let round = 0; round < 2 && trusted !== null; round++) {
    const found = await Promise.all(asked.values());
    const urls = namesIn(found).map(({ url }) => url);
    for (const url of urls) {
      const client = asked.size < MOST_PLACES ? clientOf(trusted, url) : null;
      if (client !== null) void ask(client);
    }
  }
  const found = await Promise.all(asked.values());
  const names = namesIn(found);
  const places = found.map((place) => ({
    ...place,
    named: names.filter(({ url }) => url === place.url).map(({ by, id }) => ({ by, id })),
  }));
  return { nowMs: Date.now(), places };
}

/** Null if none of the given members answered. */
function trustedBy(given: readonly MemberClient[], found: readonly Found[]): Trusted | null {
  const voters = found.flatMap((place) => place.status?.voters ?? []);
  const answered = given.find((_, i) => found[i]!.status !== null);
  return answered === undefined ? null : new Trusted(given, answered, voters);
}

/** Null if a member named something that cannot be asked. */
function clientOf(trusted: Trusted, url: string): MemberClient | null {
  try {
    return trusted.client(url);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** As clients write it, without the usual port and a slash at the end. */
function canonical(url: string): string {
  return (URL.canParse(url) ? new URL(url).href : url).replace(/\/+$/, '');
}

interface Name {
  readonly by: MemberId;
  readonly id: MemberId;
  readonly url: string;
}

function namesIn(found: readonly Found[]): readonly Name[] {
  return found.flatMap(({ status }) => {
    if (status === null) return [];
    return status.voters.map(({ voterId, voterUrl }) => ({
      by: status.voterId,
      id: voterId,
      url: canonical(voterUrl),
    }));
  });
}

async function look(client: MemberClient): Promise<Found> {
  const { url } = client;
  const askedMs = performance.now();
  try {
    const said: Status = await client.get('/status', status, ANSWER_WITHIN_MS);
    const clock = clockOf(said, performance.now() - askedMs);
    return { url, status: said, clock, failure: null, ...(await diagnosisOf(client)) };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    const failure = await failureOf(url, error);
    return { url, status: null, clock: null, diagnosis: null, isEarlier: false, failure };
  }
}

async function diagnosisOf(client: MemberClient): Promise<Pick<Found, 'diagnosis' | 'isEarlier'>> {
  try {
    const said: Diagnosis = await client.get('/diagnosis', diagnosis, ANSWER_WITHIN_MS);
    return { diagnosis: said, isEarlier: false };
  } catch (error) {
    if (error instanceof NoAnswer) return { diagnosis: null, isEarlier: error.status === 404 };
    throw error;
  }
}

function clockOf({ nowMs }: Status, tookMs: number): ClockReading | null {
  if (nowMs === undefined) return null;
  return { aheadMs: Math.round(nowMs - (Date.now() - tookMs / 2)), withinMs: Math.ceil(tookMs / 2) };
}

/** The system of a process that is stopped still accepts its connections. */
async function failureOf(url: string, { kind, message }: NoAnswer): Promise<Failure> {
  const words = message.replace(`${url}: `, '');
  return { kind: kind === 'silent' && (await accepts(url)) ? 'stopped' : kind, words };
}

function accepts(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
    });
    const done = (isAccepted: boolean): void => {
      socket.destroy();
      resolve(isAccepted);
    };
    socket.setTimeout(CONNECT_WITHIN_MS, () => done(false));
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
}
