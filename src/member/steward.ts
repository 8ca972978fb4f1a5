import type { Command, Outcome } from '../core/index.ts';
import { CaucusError, type Election } from '../election/index.ts';

/**
 * An operator asks a member to give up a leadership under which its program works. The work is told to stop, and waited for,
 * before anybody else may lead; only then does the protocol hear of it. Undefined for what needs no such care.
 */
export function steward(election: Election, command: Command): Promise<Outcome> | undefined {
  if (election.leadership === null) return undefined;
  if (command.type === 'resign') return outcomeOf(election.resign());
  if (command.type === 'transfer') return outcomeOf(election.transfer(String(command.to)));
  return undefined;
}

async function outcomeOf(ended: Promise<void>): Promise<Outcome> {
  try {
    await ended;
    return { status: 'done' };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof CaucusError && error.code === 'E_REFUSED') return { status: 'refused', reason };
    return { status: 'failed', reason, effect: error instanceof CaucusError ? error.outcome : 'indefinite' };
  }
}
