import type { MemberPort, Peer } from '../api/index.ts';
import type { MemberId } from '../core/index.ts';
import type { LogEntry } from '../election/index.ts';
import type { Store } from './data-folder.ts';
import type { Links } from './links/links.ts';
import type { Voters } from './voters.ts';

interface Around {
  readonly own: MemberId;
  readonly voters: Voters;
  readonly links: Links;
  readonly store: Store;
  readonly log: (entry: LogEntry) => void;
  /** The voters have changed. */
  changed(): void;
}

/**
 * A voter registers: it is remembered, and sent messages from now on. `mayReplace`: it takes the place of one that
 * cannot be reached, if there are too many.
 */
export function registerVoter(
  { own, voters, links, store, log, changed }: Around,
  voter: Peer,
  mayReplace: boolean,
): ReturnType<MemberPort['registerVoter']> {
  const before = voters.list.find(({ id }) => id === voter.id);
  if (before?.url === voter.url && voter.id !== own) return { accepted: true };
  const reachable = links.status.filter(({ via }) => via !== 'none').map(({ id }) => id);
  const verdict = voters.register(voter, (id) => !mayReplace || reachable.includes(id));
  if (!verdict.accepted) return verdict;
  try {
    store.saveVoters(voters.registered);
  } catch (error) {
    // The voter will have to register again after a restart. That is no reason to refuse it now.
    const reason = error instanceof Error ? error.message : String(error);
    log({ level: 'warning', message: `the voter ${voter.id} is not remembered: ${reason}` });
  }
  links.setPeers(voters.others);
  log({ level: 'info', message: `the voter ${voter.id} is at ${voter.url}` });
  changed();
  return verdict;
}
