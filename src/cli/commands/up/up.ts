import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { newToken } from '../../../auth/index.ts';
import { integer } from '../../../core/index.ts';
import { makeFolder, readOptions } from '../../../member/index.ts';
import { DEFAULT_PROTOCOL } from '../../../protocols/index.ts';
import { counted, needsMajority } from '../../../story/index.ts';
import { readMemberConfig } from '../../input/config/member-config.ts';
import { namedByOrigin } from '../../input/config/named-by-origin.ts';
import { isSystemError, oneLine, Refusal, systemWords } from '../../input/refusal.ts';
import { readNumberOr, readPort } from '../../input/values.ts';
import { paintFor } from '../../terminal/colours.ts';
import { untilStopped } from '../../terminal/until-stopped.ts';
import { readElectionCount, refuseMainAmong } from '../node/many-elections.ts';
import { PageServer, USUAL_PORT } from '../play/page-server.ts';
import type { UpFlags } from './command.ts';
import { Fleet, type FleetEvent, type FleetPlan } from './fleet.ts';
import { FleetPage } from './fleet-page.ts';
import { onKeys } from './keys.ts';
import { choosePorts } from './ports.ts';
import { type Heading, isNews, Screen } from './screen.ts';

const DEFAULT_MEMBERS = 5;
/** Each member costs as much as the elections do that it stands in. */
const DEFAULT_MEMBERS_OF_MANY = 3;
/** The least timeout of the preset that members have if none is given. */
const USUAL_TIMEOUT_MS = 1800;
/** In the folder of the cluster, while it runs. */
const TOKEN_FILE = 'page-token';
const MOST_MEMBERS = 99;

/** Runs a cluster of real processes until a signal ends it. */
export async function upCommand(given: UpFlags): Promise<number> {
  const others = readElectionCount(given.elections) ?? 0;
  const flags = others === 0 ? given : withTimesFor(others, given);
  const wanted = readNumberOr(flags.members, '--members', integer(1, MOST_MEMBERS), null);
  const base = readPort(flags.port, '--port');
  const uiPort = readPort(flags.uiPort, '--ui-port');
  const { definition, timing, options, settings } = await readMemberConfig(flagsOfMember(flags), {});
  refuseMainAmong(others, settings.election!);
  const folder = openFolder(flags.data);
  let server: PageServer | null = null;
  try {
    const count = countMembers(folder, wanted, others, flags.data);
    // What every member would refuse is refused once, before any is started.
    const peers = Array.from({ length: count }, (_, i) => ({ id: i + 1, url: `http://127.0.0.1:${i + 1}` }));
    const { balance = false, deputies = false } = flags;
    if (balance && others === 0) throw new Refusal('--balance: expected --elections beside it');
    const origins = [
      { field: 'balance', value: balance, from: '--balance' },
      { field: 'deputies', value: deputies, from: '--deputies' },
    ];
    await namedByOrigin({ origins }, () =>
      readOptions({ id: 1, peers, protocol: definition.name, timing, options, balance, deputies }),
    );
    // The page takes its port before ports are chosen for the members.
    const isWanted = base !== null && base <= USUAL_PORT && USUAL_PORT < base + count;
    server = await PageServer.open(uiPort ?? (isWanted ? 0 : null), '--ui-port');
    const { ports, taken } = await choosePorts(count, base, server.taken === null);
    const plan: FleetPlan = {
      flags: memberArgs(flags),
      secret: newToken(),
      others,
      election: settings.election!,
      members: ports.map((port, i) => {
        const data = path.join(folder, String(i + 1));
        // All folders are created at once: if the cluster is stopped before the last member has started, none is
        // missing.
        openFolder(data);
        return { id: i + 1, port, data };
      }),
    };
    const token = flags.chaos ? newToken() : null;
    if (token !== null) writeToken(path.join(folder, TOKEN_FILE), token);
    const many = others === 0 ? '' : `, ${others + 1} elections`;
    const where = `${definition.name}, ${counted(count, 'member')}${many}; look at it in a browser:`;
    const heading: Heading = {
      // The address with the token is longer than a line, and has one of its own.
      title: token === null ? `${where} ${server.url}` : where,
      page: token === null ? null : withToken(server.url, token),
      byMajority: needsMajority(definition, options),
    };
    const ending = flags.data === undefined ? 'nothing of it is kept' : `it is kept in ${folder}`;
    const { json = false } = flags;
    const tokenFile = path.join(folder, TOKEN_FILE);
    return await runFleet(plan, heading, { json, token, tokenFile, server, taken, ending });
  } finally {
    await server?.close();
    rmSync(path.join(folder, TOKEN_FILE), { force: true });
    if (flags.data === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

interface Telling {
  readonly json: boolean;
  /** What the page needs to kill processes; null without --chaos. */
  readonly token: string | null;
  readonly tokenFile: string;
  readonly server: PageServer;
  /** The default port that is in use, if others were taken. */
  readonly taken: number | null;
  /** What happens to the data. */
  readonly ending: string;
}

async function runFleet(
  plan: FleetPlan,
  heading: Heading,
  { json, token, tokenFile, server, taken, ending }: Telling,
): Promise<number> {
  const { stdin, stdout } = process;
  const paint = paintFor(stdout, process.env);
  const onScreen = !json && stdout.isTTY && stdin.isTTY;
  let screen: Screen | null = null;
  let page: FleetPage | null = null;
  let failure: FleetEvent | null = null;
  let quit = (): void => {};
  const tell = (event: FleetEvent): void => {
    // If a member cannot start (its port is in use, its folder cannot be written), the cluster stops.
    if (event.event === 'failed') {
      failure ??= event;
      quit();
    }
    page?.changed();
    if (screen !== null) screen.show(event);
    else if (json) stdout.write(`${JSON.stringify(event)}\n`);
    else if (event.event === 'member' || isNews(event)) {
      stdout.write(`${event.at.slice(11, 23)}  ${event.id ?? '-'}  ${oneLine(event.text)}\n`);
    }
  };
  const fleet = new Fleet(plan, tell);
  page = new FleetPage(server, fleet, token);
  const asked = new Promise<void>((resolve) => {
    quit = resolve;
    void untilStopped().then(() => resolve());
  });
  if (onScreen) screen = new Screen(fleet, heading, stdout, paint);
  // If only the output is redirected, the keyboard is left alone.
  const forgetKeys = onScreen || !stdin.isTTY ? onKeys(fleet, stdin, () => quit()) : (): void => {};
  for (const { id } of fleet.members) fleet.start(id);
  if (taken !== null) fleet.moved(taken);
  if (!onScreen) stdout.write(pageLine(server, json, token === null ? null : tokenFile));
  await asked;
  forgetKeys();
  await fleet.stop();
  page.close();
  screen?.close();
  if (onScreen) stdout.write(`The cluster has stopped; ${ending}.\n`);
  if (failure === null) return 0;
  const { id, text } = failure as FleetEvent;
  process.stderr.write(`caucus: member ${id}: ${oneLine(text)}\n`);
  return 1;
}

/** The screen has the address in its title. */
function pageLine({ url, taken }: PageServer, json: boolean, tokenFile: string | null): string {
  const moved = taken === null ? '' : ` (port ${taken} is in use)`;
  // This output may be kept in a file, so it names the token's file only.
  const asks = tokenFile === null ? '' : `; its token is in ${tokenFile}`;
  const text = `the page is at ${url}${moved}${asks}`;
  if (!json) return `${text}\n`;
  const file = tokenFile === null ? {} : { tokenFile };
  return `${JSON.stringify({ at: new Date().toISOString(), event: 'page', id: null, text, url, ...file })}\n`;
}

/** A browser does not send the part after the # to any server. */
function withToken(url: string, token: string): string {
  return `${url}#token=${token}`;
}

function writeToken(file: string, token: string): void {
  rmSync(file, { force: true });
  writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
}

/** A cluster that was kept has the members that it had: each of them remembers the others. */
function countMembers(
  folder: string,
  wanted: number | null,
  others: number,
  data: string | undefined,
): number {
  const kept = readdirSync(folder).filter((name) => /^[1-9]\d*$/.test(name)).length;
  if (kept === 0) return wanted ?? (others === 0 ? DEFAULT_MEMBERS : DEFAULT_MEMBERS_OF_MANY);
  if (wanted === null || wanted === kept) return kept;
  throw new Refusal(
    `--members: ${data} holds a cluster of ${kept}, which does not become one of ${wanted} by itself: expected --members ${kept}, or another folder`,
  );
}

function openFolder(data: string | undefined): string {
  try {
    if (data === undefined) return mkdtempSync(path.join(tmpdir(), 'caucus-up-'));
    makeFolder(path.resolve(data));
    return path.resolve(data);
  } catch (error) {
    if (isSystemError(error)) throw new Refusal(`--data: ${data}: ${systemWords(error)}`);
    throw error;
  }
}

/**
 * The least timeout of a member that stands in so many elections. Heartbeats grow with it, so that the number of messages
 * a second stays the same however many elections there are.
 */
function leastTimeoutMs(elections: number): number {
  return 10 * elections;
}

/** With times for so many elections, unless others are given or the usual ones are long enough. */
function withTimesFor(elections: number, flags: UpFlags): UpFlags {
  const { protocol = DEFAULT_PROTOCOL, timing = [], option = [] } = flags;
  const leastMs = leastTimeoutMs(elections);
  if (protocol !== DEFAULT_PROTOCOL || timing.length > 0 || option.length > 0 || leastMs <= USUAL_TIMEOUT_MS)
    return flags;
  return { ...flags, timing: [`timeoutMs=[${leastMs},${Math.round((leastMs * 5) / 3)}]`] };
}

function flagsOfMember({
  protocol,
  election,
  timing,
  option,
}: UpFlags): Parameters<typeof readMemberConfig>[0] {
  return {
    ...(protocol === undefined ? {} : { protocol }),
    ...(election === undefined ? {} : { election }),
    ...(timing === undefined ? {} : { timing }),
    ...(option === undefined ? {} : { option }),
  };
}

function memberArgs({
  protocol,
  election,
  elections,
  balance,
  deputies,
  timing = [],
  option = [],
}: UpFlags): string[] {
  return [
    ...(elections === undefined ? [] : ['--elections', elections]),
    ...(balance ? ['--balance'] : []),
    ...(deputies ? ['--deputies'] : []),
    ...(protocol === undefined ? [] : ['--protocol', protocol]),
    ...(election === undefined ? [] : ['--election', election]),
    ...timing.flatMap((pair) => ['--timing', pair]),
    ...option.flatMap((pair) => ['--option', pair]),
  ];
}
