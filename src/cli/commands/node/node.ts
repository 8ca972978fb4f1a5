import { readOptions } from '../../../member/index.ts';
import { joinOptions } from '../../input/config/join-options.ts';
import { readMemberConfig } from '../../input/config/member-config.ts';
import { namedByOrigin } from '../../input/config/named-by-origin.ts';
import { configJson, configLines } from '../../input/config/print-config.ts';
import { tlsOf } from '../../input/config/tls.ts';
import { refuseAlone } from '../../input/engine-flags.ts';
import { paintFor } from '../../terminal/colours.ts';
import { openLog } from '../../terminal/log.ts';
import { untilStopped } from '../../terminal/until-stopped.ts';
import type { NodeFlags } from './command.ts';
import { engineNode } from './engine-node.ts';
import { readElectionCount, refuseMainAmong, standInMany } from './many-elections.ts';
import { follow, standFor } from './standing.ts';
import { startMember } from './start-member.ts';
import { watchTokens } from './watch-tokens.ts';

/** Runs a member until a signal ends it. */
export async function nodeCommand(flags: NodeFlags): Promise<number> {
  if (flags.engine !== undefined) return engineNode(flags);
  refuseAlone(flags);
  const count = readElectionCount(flags.elections);
  const config = await readMemberConfig(flags, process.env);
  refuseMainAmong(count, config.settings.election!);
  if (flags.printConfig) {
    const text = flags.json ? JSON.stringify(configJson(config), null, 2) : configLines(config).join('\n');
    process.stdout.write(`${text}\n`);
    // What was understood is printed also if a member cannot start with it: then this says why.
    await namedByOrigin(config, () => readOptions(joinOptions(config)));
    return 0;
  }
  const paint = paintFor(process.stdout, process.env);
  const log = openLog((line) => process.stdout.write(line), flags.json ?? false, paint);
  let reload = (): void => {};
  // A member that has files to read again does that on SIGHUP, as daemons do.
  const hasFiles = config.settings.secretFile !== undefined || tlsOf(config) !== undefined;
  const stopped = untilStopped(hasFiles ? () => reload() : null);
  let isStarting = true;
  // A member that joins waits until it is answered, which may be never.
  void stopped.then(() => {
    if (isStarting) process.exit(0);
  });
  const member = await startMember(config, { isCalledNew: flags.new ?? false, keepsLeases: true, log });
  isStarting = false;
  if (member === null) return 1;
  reload = () => {
    member.reloadSecret();
    member.reloadTls();
  };
  const calledOff = new AbortController();
  // With priority 0 it only votes; the election is still what this process is for, and is shown.
  const election = member.election(member.mainElection);
  const { signal: ends } = calledOff;
  const stands = config.settings.priority !== 0;
  const standing = Promise.all([
    stands ? standFor(election, ends) : null,
    count === null ? null : standInMany(member, count, { log, stands, signal: ends }),
  ]);
  const unwatch = watchTokens(config.tokens, (tokens) => member.setTokens(tokens), log);
  const unfollow = follow(member, member.electionPort(member.mainElection), log, flags.json ?? false);
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
