/** What a member does about the events of its links: the log, its elections, and what it can tell of its peers. */
import type { ClusterRecovery } from '../core/index.ts';
import {
  disbeliefWords,
  FEATURES,
  type Identity,
  sharedId,
  TAKES_LISTS,
  TAKES_REPORTS,
  timingDifference,
} from '../peers/index.ts';
import type { Acceptance } from './acceptance.ts';
import { Belonging } from './belonging.ts';
import type { Store } from './data-folder.ts';
import type { Elections } from './elections.ts';
import { ownProcess } from './evidence.ts';
import { giveReport } from './give-report.ts';
import type { LogEntry } from './join-options.ts';
import { createLinks } from './links/index.ts';
import type { LinkEvents, Links, Peer } from './links/links.ts';
import type { Settled } from './options.ts';
import type { OwnUrl } from './own-url.ts';
import { type RefusalLog, VERDICT_WORDS, withoutPort } from './refusal-log.ts';
import { rulesOf } from './rules.ts';
import type { Unreachable } from './unreachable.ts';

interface LinkEventsAround {
  readonly hosts: Elections;
  readonly refusals: RefusalLog;
  readonly acceptance: Acceptance;
  readonly unreachable: Unreachable;
  /** Is any peer connected? */
  isConnected(): boolean;
  /** The other voters. */
  others(): readonly Peer[];
  /** This member, which has belonged to no cluster, has met one that was recovered. */
  recovered(recovery: ClusterRecovery): void;
  log(entry: LogEntry): void;
  /** In what the times of a peer differ from those of this member, for people; null if they do not. */
  differs(peer: Identity): string | null;
  changed(): void;
}

function linkEvents(around: LinkEventsAround): LinkEvents {
  const { hosts, refusals, acceptance, unreachable, isConnected, others, log, changed } = around;
  return {
    onMessage: (from, election, message) => refusals.hear(from, () => hosts.receive(from, election, message)),
    onAnswer: (from, election, { type, ...answer }) =>
      refusals.hear(from, () => hosts.receiveAnswer(from, election, type, answer as Record<string, unknown>)),
    onUp: (peer) => {
      acceptance.accepted(peer.id);
      log(unreachable.reached(peer, others()));
      const differs = around.differs(peer);
      if (differs !== null) log({ level: 'warning', message: differs });
      changed();
    },
    onDown: (peer, reason) => {
      // The look whether its process is dead comes first: a takeover waits for that.
      setImmediate(() => {
        log({ level: 'warning', message: `the connection to ${peer.id} is closed: ${reason}` });
        changed();
      });
    },
    onRecovery: (recovery) => around.recovered(recovery),
    onGone: (peer, proof, life, witness) => {
      if (witness === undefined) return hosts.give({ type: 'peer-gone', peer, proof, life });
      for (const host of [...hosts.list]) giveReport(host, { type: 'peer-gone', peer, proof, life, witness });
      log({ level: 'warning', message: `the process of ${peer} is gone, witnessed by ${witness}` });
    },
    onDisbelieved: (witness, report, why) => {
      // Several processes may see the same death, and a report may be late.
      if (why === 'known' || why === 'earlier-life') return;
      const message = `the report of ${witness} that a process of ${report.id} is gone has no effect: ${disbeliefWords(why)}`;
      refusals.refused(why === 'not-trusted' ? 'unauthorized' : 'impossible', `member ${witness}`, message);
    },
    onBack: (peer) => hosts.give({ type: 'peer-back', peer }),
    onShared: (before, now) => refusals.refused('same-id', `member ${now.id}`, sharedId(before, now)),
    onUnreachable: (peer, reason) => unreachable.failed(peer, reason),
    onRefused: (reason, from, kind, verdict, hasCalled, peer = null) => {
      refusals.refused(kind, withoutPort(from), `${from} ${VERDICT_WORDS[verdict]}: ${reason}`);
      if (peer !== null) unreachable.refused(peer, kind, reason);
      if (hasCalled && kind === 'removed' && verdict === 'refuses-us' && !isConnected())
        acceptance.removed(reason);
      // A member that was recovered refuses others as outdated, and is not outdated itself.
      if (kind === 'before-recovery') {
        if (hasCalled && peer !== null && verdict === 'refuses-us') acceptance.outdated(peer, reason);
      } else if (hasCalled) acceptance.refused(kind, reason);
    },
  };
}

/** The connections of this member. */
export function openLinks(
  settled: Settled,
  own: OwnUrl,
  store: Store,
  around: Omit<LinkEventsAround, 'isConnected' | 'recovered' | 'log' | 'differs'>,
): Links {
  const { id, cluster, election, definition, config, limits } = settled;
  const rules = (): string => rulesOf(definition, config, around.hosts.retimed);
  const { incarnation, life } = store.member;
  const takesReports = settled.trustWitnesses === false ? [] : [TAKES_REPORTS];
  const features = [...FEATURES, TAKES_LISTS, ...takesReports];
  const belonging = new Belonging(store, around.hosts, settled.log);
  const identity: Identity = belonging.in(
    own.of({ id, cluster, incarnation, life, rules: rules(), features, process: ownProcess() }),
  );
  Object.defineProperty(identity, 'rules', { enumerable: true, get: rules });
  const isConnected = (): boolean => links.status.some(({ via }) => via !== 'none');
  const { log } = settled;
  const recovered = (recovery: ClusterRecovery): void => belonging.adopt(recovery);
  // Times that an operator set hold for all, whatever they are configured with.
  const differs = (peer: Identity): string | null => {
    if (around.hosts.retimed !== null && peer.features?.includes('timing') !== true)
      return `${peer.id} runs an earlier release, which does not understand the times that an operator set (caucus reconfigure): it takes no part until it is updated`;
    const words = around.hosts.retimed === null ? timingDifference(identity, peer) : null;
    return words === null
      ? null
      : `${peer.id} is configured with other times than ${id}: ${words}; leaders may change more often than necessary until all have the same, which one command sets: caucus reconfigure timing=...`;
  };
  const links = createLinks(identity, linkEvents({ ...around, isConnected, recovered, log, differs }), {
    mainElection: election,
    queueMessages: limits.queuedMessages,
    strangers: limits.strangers,
    postsInFlight: limits.postsInFlight,
    trustConnections: settled.trustConnections,
    trustWitnesses: settled.trustWitnesses,
    secrets: settled.secret.secrets,
    tls: settled.tls,
    ...(definition.retiming === undefined
      ? {}
      : {
          forEarlierRelease: (message, features) =>
            definition.retiming!.forEarlierRelease(config, message, features),
        }),
  });
  return links;
}
