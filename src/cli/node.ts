import type { Change, Member } from '../member/index.ts';
import { paintFor } from './colours.ts';
import { joinOptions } from './config/join-options.ts';
import { readMemberConfig } from './config/member-config.ts';
import { configJson, configLines } from './config/print-config.ts';
import { type Log, openLog } from './log.ts';
import type { NodeFlags } from './node-command.ts';
import { startMember } from './start-member.ts';
import { untilStopped } from './until-stopped.ts';

/** Runs a member until a signal ends it. */
export async function nodeCommand(flags: NodeFlags): Promise<number> {
  const config = await readMemberConfig(flags, process.env);
  if (flags.printConfig) {
    joinOptions(config);
    const text = flags.json ? JSON.stringify(configJson(config), null, 2) : configLines(config).join('\n');
    process.stdout.write(`${text}\n`);
    return 0;
  }
  const paint = paintFor(process.stdout, process.env);
  const log = openLog((line) => process.stdout.write(line), flags.json ?? false, paint);
  const stopped = untilStopped();
  const member = await startMember(config, { firstStart: flags.new ?? false, log });
  if (member === null) return 1;
  const calledOff = new AbortController();
  const standing = config.settings.priority === 0 ? Promise.resolve() : stand(member, calledOff.signal);
  const unfollow = follow(member, log, flags.json ?? false);
  const signal = await stopped;
  log({ level: 'info', event: 'stopping', text: `${signal}: stepping down` });
  calledOff.abort();
  await standing;
  await member.close();
  unfollow();
  log({ level: 'info', event: 'stopped', text: 'stopped' });
  return 0;
}

/** Leads whenever it is elected; what is done with that is asked over HTTP. */
async function stand(member: Member, signal: AbortSignal): Promise<void> {
  const untilLost = (lost: AbortSignal): Promise<void> =>
    new Promise((resolve) => lost.addEventListener('abort', () => resolve(), { once: true }));
  const election = member.election(member.mainElection);
  await election
    .lead((leadership) => untilLost(leadership.signal), { signal })
    .catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
}

/** Tells whether this member may act, and for programs every change of who leads: people read of that in the member's own log. */
function follow(member: Member, log: Log, json: boolean): () => void {
  const port = member.electionPort(member.mainElection);
  let told: Change | undefined;
  let acting = false;
  let { illness } = member;
  const look = (): void => {
    // The history is bounded: what was told last may be anywhere in it, or gone.
    const news = told === undefined ? port.history : port.history.slice(port.history.lastIndexOf(told) + 1);
    for (const { leader, token, cause, detail } of news) {
      const who = leader === null ? 'nobody leads' : `${leader} leads`;
      const text = `${who}${token === null || leader === null ? '' : `, token ${token}`} (${cause}${detail === '' ? '' : `: ${detail}`})`;
      if (json) log({ level: 'info', event: 'change', text, id: member.id, leader, token, cause, detail });
    }
    told = port.history.at(-1);
    if (port.acting !== acting) {
      acting = port.acting;
      const { token } = port;
      const text = acting
        ? `${member.id} leads and may act${token === null ? '' : `, token ${token}`}`
        : `${member.id} may not act any more: ${port.history.at(-1)?.detail ?? 'it is not told why'}`;
      log({ level: 'info', event: acting ? 'acting' : 'idle', text, id: member.id, token });
    }
    if (member.illness !== illness) {
      illness = member.illness;
      const text = illness ?? 'well again';
      log({ level: illness === null ? 'info' : 'error', event: 'health', text, id: member.id, illness });
    }
  };
  const stops = [port.subscribe(look), member.subscribe(look)];
  look();
  return () => {
    for (const stop of stops) stop();
  };
}
