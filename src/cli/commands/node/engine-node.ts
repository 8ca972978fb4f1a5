import { isLoopback } from '../../../api/index.ts';
import { ServerTls, tokenOptions } from '../../../auth/index.ts';
import { CaucusError } from '../../../election/index.ts';
import { shownUrl } from '../../../engines/index.ts';
import { MemberAccess } from '../../../member/index.ts';
import type { Origin } from '../../input/config/member-config.ts';
import { originLines, originsJson } from '../../input/config/print-config.ts';
import { tokenSource } from '../../input/config/tokens.ts';
import { engineOptionsOf, MEMBER_ONLY, refuseBoth } from '../../input/engine-flags.ts';
import { readEnginePassword } from '../../input/engine-password.ts';
import { openEngineOf } from '../../input/open-engine.ts';
import { Refusal } from '../../input/refusal.ts';
import { paintFor } from '../../terminal/colours.ts';
import { openLog } from '../../terminal/log.ts';
import { untilStopped } from '../../terminal/until-stopped.ts';
import type { NodeFlags } from './command.ts';
import { EngineMember } from './engine-member.ts';
import { follow, standFor } from './standing.ts';
import { watchTokens } from './watch-tokens.ts';

const DEFAULT_LISTEN = '127.0.0.1:0';
/** Options of engines that may be secret. */
const SECRETS = ['token', 'key', 'ssl'];

/** Runs a participant in an election on a store until a signal ends it. It has the HTTP API of a member. */
export async function engineNode(flags: NodeFlags): Promise<number> {
  refuseBoth(flags as Readonly<Record<string, unknown>>, MEMBER_ONLY, process.env);
  const tls = readTls(flags, process.env);
  const { host, port } = readListen(flags, tls !== null);
  const tokens = tokenSource(flags.tokensFile ?? (process.env.CAUCUS_TOKENS_FILE || undefined), process.env);
  const access = new MemberAccess(
    tokenOptions.read(tokens?.read() ?? [], 'tokens'),
    flags.closed ?? false,
    (flags.insecure ?? false) || isLoopback(host),
  );
  if (flags.printConfig) return printConfig(flags, tlsFilesOf(flags, process.env));
  const log = openLog(
    (line) => process.stdout.write(line),
    flags.json ?? false,
    paintFor(process.stdout, process.env),
  );
  let reload = (): void => {};
  // One that has certificates to read again does that on SIGHUP, as a member does.
  const stopped = untilStopped(tls === null ? null : () => reload());
  const engine = await openEngineOf(flags, process.env, log);
  const storeName = /^[a-z]+/.exec(flags.engine!)![0];
  const member = new EngineMember(engine, flags.election ?? 'main', storeName, { access, log, tls });
  reload = () => member.reloadTls();
  try {
    await member.listen(host, port);
  } catch (error) {
    if (!(error instanceof CaucusError)) throw error;
    log({ level: 'error', event: 'failed', text: error.message, code: error.code });
    await member.close();
    return 1;
  }
  const { id, url } = member;
  log({
    level: 'info',
    event: 'ready',
    text: `${id} is up at ${url} (${storeName})`,
    id,
    pid: process.pid,
    url,
  });
  const calledOff = new AbortController();
  const standing = standFor(member.election(), calledOff.signal);
  const unwatch = watchTokens(tokens, (list) => access.replace(list), log);
  const unfollow = follow(member, member.port, log, flags.json ?? false);
  const signal = await stopped;
  log({ level: 'info', event: 'stopping', text: `${signal}: stopping` });
  calledOff.abort();
  await standing;
  await member.close();
  unwatch();
  unfollow();
  log({ level: 'info', event: 'stopped', text: 'stopped' });
  return 0;
}

/** Also opens the engine, which does not connect yet, so that invalid options are refused. */
async function printConfig(flags: NodeFlags, tls: readonly Origin[]): Promise<number> {
  await (await openEngineOf(flags, process.env)).close();
  const origins: Origin[] = [
    { field: 'engine', value: shownUrl(flags.engine!), from: '--engine' },
    { field: 'election', value: flags.election ?? 'main', from: flags.election ? '--election' : 'default' },
    { field: 'listen', value: flags.listen ?? DEFAULT_LISTEN, from: flags.listen ? '--listen' : 'default' },
  ];
  origins.push(...tls);
  const password = readEnginePassword(flags.enginePasswordFile, process.env);
  if (password !== null) origins.push({ field: 'password', value: '***', from: password.from });
  if (flags.tokensFile) origins.push({ field: 'tokensFile', value: flags.tokensFile, from: '--tokens-file' });
  else if (process.env.CAUCUS_TOKENS_FILE)
    origins.push({ field: 'tokensFile', value: process.env.CAUCUS_TOKENS_FILE, from: 'CAUCUS_TOKENS_FILE' });
  else if (process.env.CAUCUS_TOKENS) origins.push({ field: 'tokens', value: '***', from: 'CAUCUS_TOKENS' });
  origins.push({
    field: 'closed',
    value: flags.closed ?? false,
    from: flags.closed ? '--closed' : 'default',
  });
  for (const [field, { value, from }] of engineOptionsOf(flags, process.env)) {
    const isSecret = SECRETS.includes(field);
    origins.push({ field, value: isSecret ? '***' : value, from });
  }
  process.stdout.write(
    `${flags.json ? JSON.stringify(originsJson(origins), null, 2) : originLines(origins).join('\n')}\n`,
  );
  return 0;
}

/** The files of its certificate and its key, as far as they are given. */
function tlsFilesOf({ tlsCert, tlsKey }: NodeFlags, env: NodeJS.ProcessEnv): readonly Origin[] {
  const given = (field: string, flag: string, value: string | undefined, variable: string): Origin[] => {
    if (value !== undefined) return [{ field, value, from: flag }];
    return env[variable] ? [{ field, value: env[variable], from: variable }] : [];
  };
  return [
    ...given('tlsCert', '--tls-cert', tlsCert, 'CAUCUS_TLS_CERT'),
    ...given('tlsKey', '--tls-key', tlsKey, 'CAUCUS_TLS_KEY'),
  ];
}

/** Its certificate; null if its port speaks http. It needs no CA: it has no peers, and clients show no certificates. */
function readTls(flags: NodeFlags, env: NodeJS.ProcessEnv): ServerTls | null {
  const given = tlsFilesOf(flags, env);
  const [first] = given;
  if (first === undefined) return null;
  const [cert, key] = ['tlsCert', 'tlsKey'].map((field) => given.find((each) => each.field === field));
  if (cert !== undefined && key !== undefined)
    return ServerTls.open({ cert: String(cert.value), key: String(key.value) });
  const missing = cert === undefined ? '--tls-cert' : '--tls-key';
  throw new Refusal(`${missing}: expected it beside ${first.from}, found none`);
}

function readListen(
  { listen = DEFAULT_LISTEN, insecure }: NodeFlags,
  hasTls: boolean,
): { host: string; port: number } {
  const found = /^(.+):(\d{1,5})$/.exec(listen);
  if (found === null) throw new Refusal(`--listen: expected host:port, found ${JSON.stringify(listen)}`);
  const host = found[1]!.replace(/^\[|\]$/g, '');
  if (!insecure && !hasTls && !isLoopback(host)) {
    throw new Refusal(
      `--listen: expected an address of the loopback, or a certificate (--tls-cert), or --insecure, found ${JSON.stringify(host)}`,
    );
  }
  return { host, port: Number(found[2]) };
}
