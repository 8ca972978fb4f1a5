import { type Membership, type MembershipEntry, membership, status } from '../../../api/wire/index.ts';
import { BadInput, writtenId } from '../../../core/index.ts';
import { httpUrl } from '../../input/config/fields.ts';
import { harmless, oneLine, Refusal } from '../../input/refusal.ts';
import { pageOf } from '../../terminal/page.ts';
import type { AskFlags } from '../ask/ask-flags.ts';
import { columnLines } from '../ask/columns.ts';
import { firstInside, membersToAsk } from '../ask/first-answer.ts';
import { type MemberClient, NoAnswer, Referral } from '../ask/member-client.ts';
import { Trusted } from '../ask/trusted.ts';
import { readReconfiguration } from './read-reconfiguration.ts';

export interface ChangeFlags extends AskFlags {
  readonly force?: boolean;
}

export interface DrainFlags extends AskFlags {
  readonly undo?: boolean;
}

/** The HTTP status of values that cannot be used. */
const BAD_INPUT = 400;
/** How often a command follows a change of leader. */
const MOST_REFERRALS = 3;
/** As in sysexits.h: it is not known whether it took effect, and can be repeated. */
const UNCERTAIN = 75;

interface Seen {
  readonly seen: Membership;
  readonly trusted: Trusted;
  /** The URL of the member that answered. */
  readonly asked: string;
  /** Why it follows no leader, for people. */
  readonly detail: string;
}

const print = (text: string): void => void process.stdout.write(`${harmless(text)}\n`);

export async function listCommand(urls: readonly string[], flags: AskFlags): Promise<number> {
  const found = await ask(urls, flags);
  const { seen, silence } = await leaderSees(found);
  print(flags.json ? JSON.stringify(seen, null, 2) : listLines(seen, silence, found.detail).join('\n'));
  return 0;
}

/** Changes nothing: a member votes once it was added and has answered. */
export async function promoteCommand(id: string, urls: readonly string[], flags: AskFlags): Promise<number> {
  const { seen } = await leaderSees(await ask(urls, flags));
  const { votes, voterUrl } = knownIn(seen, id, 'ID');
  const words = votes
    ? `${id} votes: a member needs no promotion`
    : `${id} does not vote yet: it has not answered at ${voterUrl ?? 'a URL that is known'}; look in its log`;
  print(flags.json ? JSON.stringify({ voterId: id, votes }) : words);
  return votes ? 0 : 1;
}

export function addCommand(
  [id, url]: readonly [string, string],
  urls: readonly string[],
  flags: ChangeFlags,
): Promise<number> {
  const body = { voterId: readId(id, 'ID'), voterUrl: readUrl(url) };
  let isThere = false;
  const done = (): string => (isThere ? `${id} is a member already, with this URL` : `${id} was added`);
  return change(urls, flags, '/members/add', body, done, ({ members }) => {
    isThere = members.some(
      ({ voterId, voterUrl }) => String(voterId) === id && voterUrl?.replace(/\/+$/, '') === body.voterUrl,
    );
  });
}

export function removeCommand(
  [id]: readonly [string],
  urls: readonly string[],
  flags: ChangeFlags,
): Promise<number> {
  const body = { voterId: readId(id, 'ID'), ...forced(flags) };
  return change(urls, flags, '/members/remove', body, `${id} was removed`, (seen) => knownIn(seen, id, 'ID'));
}

export function replaceCommand(
  [old, id, url]: readonly [string, string, string],
  urls: readonly string[],
  flags: ChangeFlags,
): Promise<number> {
  const voterUrl = readUrl(url);
  const body = { voterId: readId(old, 'OLD'), by: readId(id, 'NEW'), voterUrl, ...forced(flags) };
  if (body.voterId === body.by) throw new Refusal(`NEW: expected another id than ${old}, found the same`);
  // Where the new one is a member already, the command goes on where it was interrupted.
  return change(urls, flags, '/members/replace', body, `${old} was replaced by ${id}`, (seen) => {
    if (!seen.members.some(({ voterId }) => String(voterId) === id)) knownIn(seen, old, 'OLD');
  });
}

/** The member itself is told, wherever it is. */
export async function drainCommand(id: string, urls: readonly string[], flags: DrainFlags): Promise<number> {
  const { seen, trusted } = await ask(urls, flags);
  const { voterUrl } = knownIn(seen, id, 'MEMBER');
  if (voterUrl === null)
    throw new NoAnswer(`${seen.voterId} does not know where ${id} is: ask another member`, null);
  const member = trusted.commanded(id, voterUrl);
  const answer = await member.post('/drain', flags.undo ? { undo: true } : {});
  const words = flags.undo
    ? `${id} may lead again`
    : `${id} leads nothing, until caucus drain ${id} --undo or a restart`;
  print(flags.json ? JSON.stringify(answer) : words);
  return 0;
}

/** Takeovers are paused in the whole cluster, or not any more. */
export function pauseCommand(urls: readonly string[], flags: AskFlags): Promise<number> {
  const done = 'takeovers are paused: leaders go on, and no member takes over until caucus resume';
  return change(urls, flags, '/pause', {}, done);
}

export function resumeCommand(urls: readonly string[], flags: AskFlags): Promise<number> {
  return change(urls, flags, '/resume', {}, 'takeovers are not paused any more');
}

export function reconfigureCommand(args: readonly string[], flags: AskFlags): Promise<number> {
  const { body, urls } = readReconfiguration(args);
  return change(urls, flags, '/reconfigure', body, ({ timing: set }) => `the timing is ${set?.words}`);
}

/** Gives the leader of the main election a command, whichever member is asked. */
async function change(
  urls: readonly string[],
  flags: ChangeFlags,
  path: string,
  body: object,
  done: string | ((answer: Membership) => string),
  check: (seen: Membership) => void = () => {},
): Promise<number> {
  const found = await ask(urls, flags);
  const { seen, trusted, asked } = found;
  // A member that was away may know older members than the leader.
  check((await leaderSees(found)).seen);
  // Without a leader the member that was asked stands for the main election itself.
  let { leader, leaderUrl } = seen.leader === null ? { leader: seen.voterId, leaderUrl: asked } : seen;
  if (leader === null || leaderUrl === null)
    throw new NoAnswer(
      `${seen.electionName} has no leader, which makes changes; caucus status says why`,
      503,
    );
  for (let referrals = 0; ; referrals++) {
    try {
      const answer = membership.read(await trusted.commanded(leader, leaderUrl).post(path, body), '');
      if (flags.json) print(JSON.stringify(answer, null, 2));
      else print([typeof done === 'string' ? done : done(answer), '', ...listLines(answer)].join('\n'));
      return 0;
    } catch (error) {
      if (error instanceof NoAnswer && error.status === BAD_INPUT) throw new Refusal(error.message);
      if (error instanceof NoAnswer && isUncertain(error)) {
        const advice =
          'it may or may not have taken effect: caucus member list shows it, and the command can be repeated';
        process.stderr.write(`caucus: ${oneLine(error.message)}; ${advice}\n`);
        return UNCERTAIN;
      }
      // The leader has changed meanwhile; the member that refused names the new one.
      if (!(error instanceof Referral) || referrals === MOST_REFERRALS) throw error;
      ({ leader, leaderUrl } = error);
    }
  }
}

/** The member says so, or the answer to the request is missing, which was sent to a member that had just answered. */
function isUncertain({ isIndefinite, status, kind }: NoAnswer): boolean {
  return isIndefinite || (status === null && (kind === 'silent' || kind === 'unreachable'));
}

function ask(urls: readonly string[], flags: AskFlags): Promise<Seen> {
  const members = membersToAsk(urls, flags);
  const asking = async (member: MemberClient): Promise<Seen> => {
    const [seen, { voters, detail }] = await Promise.all([
      member.get('/members', membership),
      member.get('/status', status),
    ]);
    return { seen, trusted: new Trusted(members, member, voters), asked: member.url, detail };
  };
  // A process that knows of no members yet was started a moment ago, or waits to be added.
  return firstInside(
    members,
    asking,
    ({ seen }) => !seen.members.some(({ voterId }) => voterId === seen.voterId),
  );
}

/** The member of this id. One that is unknown is bad input, unless the member that was asked knows of no members yet. */
function knownIn({ members, voterId: asked }: Membership, id: string, name: string): MembershipEntry {
  const found = members.find(({ voterId }) => String(voterId) === id);
  if (found !== undefined) return found;
  const ids = members.map(({ voterId }) => voterId).join(', ');
  const expected = members.length === 0 ? `a member, and ${asked} knows of none yet` : `one of ${ids}`;
  throw new Refusal(`${name}: expected ${expected}, found ${JSON.stringify(id)}`);
}

/** Only the leader hears all members. `silence`: why it could not be asked, or null. */
async function leaderSees({ seen, trusted }: Seen): Promise<{ seen: Membership; silence: string | null }> {
  const { voterId, leader, leaderUrl } = seen;
  if (leader === voterId) return { seen, silence: null };
  if (leader === null || leaderUrl === null) return { seen, silence: 'there is no leader' };
  try {
    return { seen: await trusted.client(leaderUrl).get('/members', membership), silence: null };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return { seen, silence: `the leader ${leader} could not be asked: ${error.message}` };
  }
}

function forced({ force }: ChangeFlags): { readonly force?: true } {
  return force ? { force: true } : {};
}

function readId(text: string, name: string): number | string {
  return told(() => writtenId.read(text, name));
}

function readUrl(text: string): string {
  return told(() => httpUrl.read(text, 'URL'));
}

function told<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof BadInput) throw new Refusal(error.message);
    throw error;
  }
}

/** `silence`: why the leader could not be asked, which hears all members. */
function listLines(seen: Membership, silence: string | null = null, detail = ''): string[] {
  const { paint } = pageOf(process.stdout, process.env);
  const { cluster, voterId, members, removed, pending, difference, paused, timing } = seen;
  if (members.length === 0)
    return [
      oneLine(
        `${cluster}: ${voterId} knows of no members yet: ${detail || 'the first start needs all members, or all but one of five'}`,
      ),
    ];
  const table = columnLines(
    ['member', 'votes', 'healthy', 'heard', 'url', ''],
    members.map((each) => [
      String(each.voterId),
      each.votes ? 'yes' : 'no',
      each.healthy ? 'yes' : 'no',
      each.voterId === voterId ? '-' : heardWords(each.lastHeartBeatMs, silence === null),
      each.voterUrl ?? 'unknown',
      each.leader ? 'leader' : '',
    ]),
  );
  const warnings = [
    ...(silence === null ? [] : [`${silence}; healthy means that ${voterId} is connected with the member`]),
    ...(paused ? ['paused: no member takes over until caucus resume'] : []),
    ...pending.map((each) => `pending: ${each}`),
    ...(removed.length === 0 ? [] : [`removed: ${removed.join(', ')}`]),
    ...(difference === null ? [] : [difference]),
  ];
  return [
    `${paint(oneLine(cluster), 'bold')}, as ${oneLine(String(voterId))} knows it`,
    '',
    paint(table[0]!, 'dim'),
    ...table.slice(1),
    ...(timing === undefined
      ? []
      : ['', oneLine(`timing: ${timing.words}${timing.set ? ' (set by caucus reconfigure)' : ''}`)]),
    ...(warnings.length === 0 ? [] : ['', ...warnings.map((each) => paint(oneLine(each), 'yellow'))]),
  ];
}

/** A member that does not lead hears from the leader and from candidates only. */
function heardWords(atMs: number | null, isLeader: boolean): string {
  if (atMs === null) return isLeader ? 'never' : 'unknown';
  return `${Math.max(0, (Date.now() - atMs) / 1000).toFixed(1)} s ago`;
}
