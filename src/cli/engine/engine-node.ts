import { CaucusError } from '../../election/index.ts';
import { isLoopback } from '../../member/urls.ts';
import { paintFor } from '../colours.ts';
import { openLog } from '../log.ts';
import type { NodeFlags } from '../node-command.ts';
import { Refusal } from '../refusal.ts';
import { follow, standFor } from '../standing.ts';
import { untilStopped } from '../until-stopped.ts';
import { MEMBER_ONLY, openEngineOf, refuseBoth } from './engine-flags.ts';
import { EngineMember } from './engine-member.ts';

const DEFAULT_LISTEN = '127.0.0.1:0';

/** A participant in an election on a store, until a signal ends it. It answers over HTTP as a member of ours does. */
export async function engineNode(flags: NodeFlags): Promise<number> {
  refuseBoth(flags as Readonly<Record<string, unknown>>, MEMBER_ONLY);
  const { host, port } = readListen(flags);
  const log = openLog(
    (line) => process.stdout.write(line),
    flags.json ?? false,
    paintFor(process.stdout, process.env),
  );
  const stopped = untilStopped();
  const storeName = /^[a-z]+/.exec(flags.engine!)![0];
  const member = new EngineMember(await openEngineOf(flags), flags.election ?? 'main', storeName);
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
  const standing = standFor(member.election, calledOff.signal);
  const unfollow = follow(member, member.port, log, flags.json ?? false);
  const signal = await stopped;
  log({ level: 'info', event: 'stopping', text: `${signal}: stepping down` });
  calledOff.abort();
  await standing;
  await member.close();
  unfollow();
  log({ level: 'info', event: 'stopped', text: 'stopped' });
  return 0;
}

function readListen({ listen = DEFAULT_LISTEN, insecure }: NodeFlags): { host: string; port: number } {
  const found = /^(.+):(\d{1,5})$/.exec(listen);
  if (found === null) throw new Refusal(`--listen: expected host:port, found ${JSON.stringify(listen)}`);
  const host = found[1]!.replace(/^\[|\]$/g, '');
  if (!insecure && !isLoopback(host)) {
    throw new Refusal(
      `--listen: expected an address of the loopback, or --insecure, found ${JSON.stringify(host)}`,
    );
  }
  return { host, port: Number(found[2]) };
}
