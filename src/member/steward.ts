import type { Command, MemberId, Outcome, Why } from '../core/index.ts';
import { CaucusError, type Election, expectDone } from '../election/index.ts';
import type { ElectionHost } from './election-host.ts';

/** An election of a program, as far as its member needs it: also one in another thread. */
export type Occupant = Pick<Election, 'name' | 'occupation' | 'resign' | 'transfer' | 'end' | 'close'>;

/** The same function for all elections of a member. */
export type Steward = (host: ElectionHost, command: Command, why?: Why) => Promise<Outcome> | undefined;

/**
 * An operator requests that a member resign a leadership under which its program works. The work is told to stop, and
 * waited for, before any other member may lead; only then does the protocol get the command. The same holds for work
 * that is already stopping, for whatever reason. Undefined for commands that do not end such a leadership.
 */
export function steward(
  elections: readonly Occupant[],
  host: ElectionHost,
  command: Command,
  why?: Why,
): Promise<Outcome> | undefined {
  const election = elections.find(({ occupation }) => occupation !== null);
  if (election === undefined || !endsLeadership(command, host.self)) return undefined;
  const ending = election.occupation?.ending ?? null;
  switch (command.type) {
    case 'resign':
      return outcomeOf(election.resign()); // If it is ending, this waits for the end.
    case 'transfer':
      if (ending !== null) return refused('the leader is already resigning');
      return outcomeOf(election.transfer(String(command.to)));
    case 'remove': {
      if (ending !== null) return ending.then(() => host.command(command));
      const reason = host.refusal(command);
      if (reason !== null) return refused(reason);
      const removed = { cause: 'removed', detail: `${host.self} is to be removed` } as const;
      return outcomeOf(election.end(removed, async () => expectDone(await host.order(command), 'remove')));
    }
    case 'priority': {
      if (ending !== null) return ending.then(() => ({ status: 'done' }));
      const lost = why ?? ({ cause: 'resigned', detail: `${host.self} leads nothing` } as const);
      return outcomeOf(election.end(lost, async () => expectDone(await host.yield(lost), 'resign')));
    }
  }
}

type Ending = Extract<Command, { type: 'resign' | 'transfer' | 'remove' | 'priority' }>;

function endsLeadership(command: Command, self: MemberId): command is Ending {
  if (command.type === 'remove') return command.member === self;
  if (command.type === 'priority') return command.priority === 0;
  return command.type === 'resign' || command.type === 'transfer';
}

function refused(reason: string): Promise<Outcome> {
  return Promise.resolve({ status: 'refused', reason });
}

async function outcomeOf(ended: Promise<void>): Promise<Outcome> {
  try {
    await ended;
    return { status: 'done' };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const code = error instanceof CaucusError ? error.code : null;
    if (code === 'E_REFUSED' || code === 'E_NOT_LEADER') return { status: 'refused', reason };
    return { status: 'failed', reason, effect: error instanceof CaucusError ? error.outcome : 'indefinite' };
  }
}
