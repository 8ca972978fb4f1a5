/** What a member does about the events of its links: the log, its elections, and what it can tell of its peers. */
import { sharedId } from '../peers/index.ts';
import type { Acceptance } from './acceptance.ts';
import type { Elections } from './elections.ts';
import type { LogEntry } from './join-options.ts';
import type { LinkEvents, Peer } from './links/links.ts';
import { type RefusalLog, VERDICT_WORDS, withoutPort } from './refusal-log.ts';
import type { Unreachable } from './unreachable.ts';

export interface LinkEventsAround {
  readonly hosts: Elections;
  readonly refusals: RefusalLog;
  readonly acceptance: Acceptance;
  readonly unreachable: Unreachable;
  /** Is any peer connected? */
  isConnected(): boolean;
  /** The other voters. */
  others(): readonly Peer[];
  log(entry: LogEntry): void;
  changed(): void;
}

export function linkEvents(around: LinkEventsAround): LinkEvents {
  const { hosts, refusals, acceptance, unreachable, isConnected, others, log, changed } = around;
  return {
    onMessage: (from, election, message) => refusals.hear(from, () => hosts.receive(from, election, message)),
    onAnswer: (from, election, { type, ...answer }) =>
      refusals.hear(from, () => hosts.receiveAnswer(from, election, type, answer as Record<string, unknown>)),
    onUp: (peer) => {
      acceptance.accepted();
      log(unreachable.reached(peer, others()));
      changed();
    },
    onDown: (peer, reason) => {
      log({ level: 'warning', message: `the connection to ${peer.id} is closed: ${reason}` });
      changed();
    },
    onGone: (peer, proof, life) => hosts.give({ type: 'peer-gone', peer, proof, life }),
    onBack: (peer) => hosts.give({ type: 'peer-back', peer }),
    onShared: (before, now) => refusals.refused('same-id', `member ${now.id}`, sharedId(before, now)),
    onUnreachable: (peer, reason) => unreachable.failed(peer, reason),
    onRefused: (reason, from, kind, verdict, hasCalled, peer = null) => {
      refusals.refused(kind, withoutPort(from), `${from} ${VERDICT_WORDS[verdict]}: ${reason}`);
      if (peer !== null) unreachable.refused(peer, kind, reason);
      if (hasCalled) acceptance.refused(kind, reason);
      if (hasCalled && kind === 'removed' && verdict === 'refuses-us' && !isConnected())
        acceptance.removed(reason);
    },
  };
}
