import { setTimeout as wait } from 'node:timers/promises';
import { type Status, status } from '../../../api/wire/index.ts';
import type { MemberId } from '../../../core/index.ts';
import { readApiToken } from './api-token.ts';
import type { AskFlags } from './ask-flags.ts';
import { MemberClient, NoAnswer } from './member-client.ts';
import { readTlsCa } from './tls-fetch.ts';
import { Trusted } from './trusted.ts';

/** By https if a CA is given, else by http. */
const DEFAULT_URL = '127.0.0.1:7101';

/**
 * The members to ask: the given ones, or CAUCUS_URL (several with commas), or the first member of `caucus up --port
 * 7101`.
 */
export function membersToAsk(
  urls: readonly string[],
  { election, tokenFile, tlsCa }: AskFlags,
): MemberClient[] {
  const token = readApiToken(tokenFile, process.env);
  const ca = readTlsCa(tlsCa, process.env);
  const usual = (process.env.CAUCUS_URL || DEFAULT_URL).split(',');
  return (urls.length > 0 ? urls : usual).map((url) => new MemberClient(url.trim(), election, token, ca));
}

/** The state of the election, and the members that may be sent the token besides those that were asked. */
export async function seenBy(
  members: readonly MemberClient[],
): Promise<{ readonly seen: Status; readonly trusted: Trusted }> {
  const ask = async (member: MemberClient) => {
    const seen = await member.get('/status', status);
    return { seen, trusted: new Trusted(members, member, seen.voters) };
  };
  return firstInside(members, ask, ({ seen }) => isOutside(seen.voterId, seen.knownVoters));
}

/** How long one member is waited for before the next is asked as well: a member that runs answers much sooner. */
const PATIENCE_MS = 500;

type Answer<T> = { readonly said: T } | { readonly refusal: unknown };

/**
 * The answer of the first member that answers. For questions only: several members may be asked at the same time. If none answers,
 * throws one error that names each with its reason.
 */
export async function firstAnswer<T>(
  members: readonly MemberClient[],
  ask: (member: MemberClient) => Promise<T>,
): Promise<T> {
  const answer = await firstOf(members, ask).catch((error: Failures) => {
    throw inOne(error.failures);
  });
  if ('refusal' in answer) throw answer.refusal;
  return answer.said;
}

/** Does this process take no part, since it was removed, or was not added yet? It hears of no leader. */
export function isOutside(id: MemberId, members: readonly MemberId[]): boolean {
  return members.length > 0 && !members.includes(id);
}

/** The same, but a process that is no member answers only if none of the others is one and answers. */
export async function firstInside<T>(
  members: readonly MemberClient[],
  ask: (member: MemberClient) => Promise<T>,
  isOutside: (said: T) => boolean,
): Promise<T> {
  const { member, said } = await firstAnswer(members, async (member) => ({
    member,
    said: await ask(member),
  }));
  const others = members.filter((each) => each !== member);
  if (!isOutside(said) || others.length === 0) return said;
  try {
    const next = await firstInside(others, ask, isOutside);
    return isOutside(next) ? said : next;
  } catch (error) {
    if (error instanceof NoAnswer) return said;
    throw error;
  }
}

/** Why each of the members could not be asked. */
class Failures extends Error {
  readonly failures: readonly NoAnswer[];

  constructor(failures: readonly NoAnswer[]) {
    super();
    this.failures = failures;
  }
}

/** Each message begins with the URL that was asked. */
function inOne(failures: readonly NoAnswer[]): NoAnswer {
  const last = failures.at(-1)!;
  const message = failures.map((each) => each.message).join('; ');
  const isFinal = failures.every((each) => each.isFinal);
  return failures.length === 1 ? last : new NoAnswer(message, last.status, isFinal, last.kind);
}

async function firstOf<T>(
  [first, ...rest]: readonly MemberClient[],
  ask: (member: MemberClient) => Promise<T>,
): Promise<Answer<T>> {
  const answer = answerOf(first!, ask);
  if (rest.length === 0) return answer;
  const isMissing = await Promise.race([
    answer.then(
      () => false,
      () => true,
    ),
    wait(PATIENCE_MS, true, { ref: false }),
  ]);
  if (!isMissing) return answer;
  return Promise.any([answer, firstOf(rest, ask)]).catch(({ errors }: AggregateError) => {
    throw new Failures((errors as Failures[]).flatMap(({ failures }) => failures));
  });
}

/** A refusal is an answer; if a member cannot be reached, the next one is asked. */
async function answerOf<T>(
  member: MemberClient,
  ask: (member: MemberClient) => Promise<T>,
): Promise<Answer<T>> {
  try {
    return { said: await ask(member) };
  } catch (error) {
    const isThere = !(error instanceof NoAnswer) || (error.status !== null && error.status !== 503);
    if (isThere) return { refusal: error };
    throw new Failures([error]);
  }
}
