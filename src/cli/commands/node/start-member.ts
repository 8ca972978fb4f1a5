import { CaucusError } from '../../../election/index.ts';
import { type AnyJoinOptions, join, type Member } from '../../../member/index.ts';
import { counted } from '../../../story/index.ts';
import { joinOptions } from '../../input/config/join-options.ts';
import type { MemberConfig } from '../../input/config/member-config.ts';
import { namedByOrigin } from '../../input/config/named-by-origin.ts';
import { isSystemError } from '../../input/refusal.ts';
import type { Log } from '../../terminal/log.ts';

export interface StartOptions {
  /** Was the obsolete flag `--new` given? */
  readonly isCalledNew: boolean;
  /** Is it a store for `caucus://`? */
  readonly keepsLeases?: boolean;
  readonly log: Log;
}

/** Starts a member and logs its URL, or why it could not be started; then returns null. */
export async function startMember(
  config: MemberConfig,
  { isCalledNew, keepsLeases = false, log }: StartOptions,
): Promise<Member | null> {
  if (isCalledNew) log({ level: 'warn', event: 'note', text: '--new is no longer needed and is ignored' });
  const options: AnyJoinOptions = {
    ...joinOptions(config),
    leases: keepsLeases,
    log: ({ level, message }) =>
      log({ level: level === 'warning' ? 'warn' : level, event: 'note', text: message }),
  };
  try {
    const member = await namedByOrigin(config, () => join(options));
    const { id, url } = member;
    const text = `${id} is up at ${url} (${config.definition.name}, ${votersOf(member)})`;
    log({ level: 'info', event: 'ready', text, id, pid: process.pid, url });
    return member;
  } catch (error) {
    if (!(error instanceof CaucusError) && !isSystemError(error)) throw error;
    log({ level: 'error', event: 'failed', text: error.message, code: error.code });
    return null;
  }
}

/** How many members vote, as far as it knows before it has heard any; peers that are configured may not have been added yet, or not any more. */
function votersOf(member: Member): string {
  const configured = member.voters.length;
  const known = member.elections[0]?.view.members?.length ?? configured;
  const others = known === configured ? '' : `, ${configured} configured`;
  return `${counted(known, 'voter')}${others}`;
}
