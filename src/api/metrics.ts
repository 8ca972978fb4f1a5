/**
 * The metrics of a member, for Prometheus. The most important alert is `sum by (cluster, election) (caucus_is_leader)
 * != 1`: more than one would be a split brain, none an election that takes too long.
 */

import type { Call } from './call.ts';
import { Changes } from './changes.ts';
import type { LinkStatus, MemberPort } from './port.ts';
import { sendText } from './reply.ts';

export function getMetrics({ member, response, changes, watchers }: Call): void {
  const text = textOf(member, changes, watchers.count);
  sendText(response, 200, 'text/plain; version=0.0.4; charset=utf-8', text);
}

/** The same for a program that serves its metrics itself. Close it in the end. */
export function metricsOf(member: MemberPort): { text(): string; close(): void } {
  const changes = new Changes(member);
  return { text: () => textOf(member, changes, null), close: () => changes.close() };
}

/** `watchers`: null if they are not counted here. */
function textOf(member: MemberPort, changes: Changes, watchers: number | null): string {
  const text = new MetricsText();
  addMember(text, member, watchers);
  addElections(text, member, changes);
  addLinks(text, member);
  return text.toString();
}

function addMember(text: MetricsText, member: MemberPort, watchers: number | null): void {
  const { id, cluster, url, incarnation, startedAtMs, illness, voters, elections } = member;
  text.add('caucus_info', 'gauge', 'Which member this is; always 1.', [[{ cluster, member: id, url }, 1]]);
  text.add('caucus_start_time_seconds', 'gauge', 'When this member started, in seconds since 1970.', [
    [{}, startedAtMs / 1000],
  ]);
  text.add('caucus_time_seconds', 'gauge', 'The wall clock of this member, in seconds since 1970.', [
    [{}, Date.now() / 1000],
  ]);
  text.add('caucus_incarnation', 'gauge', 'Grows by one with every start on the same data folder.', [
    [{}, incarnation],
  ]);
  text.add('caucus_healthy', 'gauge', '1 if this member can do its part, 0 if not (its disk is full, say).', [
    [{}, illness === null ? 1 : 0],
  ]);
  text.add('caucus_voters', 'gauge', 'Voters that this member knows, itself included.', [
    [{}, voters.length],
  ]);
  text.add('caucus_elections', 'gauge', 'Elections in which this member takes part.', [
    [{}, elections.length],
  ]);
  if (member.certificate != null) {
    const { daysLeft, caDaysLeft } = member.certificate;
    text.add('caucus_certificate_days_left', 'gauge', 'Whole days until a certificate expires.', [
      [{ certificate: 'member' }, daysLeft],
      ...(caDaysLeft === undefined ? [] : [[{ certificate: 'ca' }, caDaysLeft] as const]),
    ]);
  }
  if (watchers !== null) text.add('caucus_watchers', 'gauge', 'Open streams of /watch.', [[{}, watchers]]);
  text.add(
    'caucus_refusals_total',
    'counter',
    'Messages and requests that were refused, by what was wrong with them.',
    Object.entries(member.refusals).map(([kind, count]) => [{ kind }, count] as const),
  );
}

function addElections(text: MetricsText, member: MemberPort, changes: Changes): void {
  const rows = member.elections.map((election) => ({
    election,
    labels: { cluster: member.cluster, election: election.name },
  }));
  text.add(
    'caucus_is_leader',
    'gauge',
    '1 while this member may act, else 0.',
    rows.map(({ election, labels }) => [labels, election.acting ? 1 : 0]),
  );
  text.add(
    'caucus_has_leader',
    'gauge',
    '1 while this member knows of a leader, else 0.',
    rows.map(({ election, labels }) => [labels, election.view.leader === null ? 0 : 1]),
  );
  text.add(
    'caucus_token',
    'gauge',
    'The fencing token of the leader that this member knows; 0 if there is none.',
    rows.map(({ election, labels }) => [labels, election.token ?? 0]),
  );
  text.add(
    'caucus_term',
    'gauge',
    'The term that this member is in; 0 where the protocol has no terms.',
    rows.map(({ election, labels }) => [labels, election.view.term ?? 0]),
  );
  text.add(
    'caucus_lease_seconds_left',
    'gauge',
    'How long this member may still act without an answer of the others; 0 if it may not, +Inf without a lease.',
    rows.map(({ election, labels }) => [labels, leaseSeconds(election)]),
  );
  text.add(
    'caucus_value_version',
    'gauge',
    'The version of the published value; 0 if there is none.',
    rows.map(({ election, labels }) => [labels, election.view.version]),
  );
  text.add(
    'caucus_leader_changes_total',
    'counter',
    'Changes of the leader that this member saw, by cause.',
    rows.flatMap(({ election, labels }) =>
      [...changes.of(election)].map(([cause, count]) => [{ ...labels, cause }, count] as const),
    ),
  );
}

function leaseSeconds({ acting, expiresInMs }: MemberPort['elections'][number]): number {
  if (!acting) return 0;
  return expiresInMs === null ? Number.POSITIVE_INFINITY : Math.max(0, expiresInMs / 1000);
}

type LinkMetric = readonly [
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  read: (link: LinkStatus) => number | null,
];

const LINK_METRICS: readonly LinkMetric[] = [
  ['caucus_messages_sent_total', 'counter', 'Messages sent to this peer.', (link) => link.sent],
  [
    'caucus_messages_received_total',
    'counter',
    'Messages that came from this peer.',
    (link) => link.received,
  ],
  [
    'caucus_messages_dropped_total',
    'counter',
    'Messages dropped: the queue was full, or the peer could not be reached.',
    (link) => link.dropped,
  ],
  ['caucus_bytes_sent_total', 'counter', 'Bytes of messages sent to this peer.', (link) => link.bytesSent],
  [
    'caucus_bytes_received_total',
    'counter',
    'Bytes of messages from this peer.',
    (link) => link.bytesReceived,
  ],
  ['caucus_messages_queued', 'gauge', 'Messages that wait for this peer.', (link) => link.queued],
  [
    'caucus_peer_reachable',
    'gauge',
    '1 if messages can be sent to this peer, over a link or by POST, else 0.',
    (link) => (link.via === 'none' ? 0 : 1),
  ],
  [
    'caucus_round_trip_seconds',
    'gauge',
    'The last round trip to this peer.',
    (link) => (link.roundTripMs === null ? null : link.roundTripMs / 1000),
  ],
];

function addLinks(text: MetricsText, { links }: MemberPort): void {
  for (const [name, type, help, read] of LINK_METRICS) {
    const samples: [{ peer: string }, number][] = [];
    for (const link of links) {
      const value = read(link);
      if (value !== null) samples.push([{ peer: String(link.id) }, value]);
    }
    text.add(name, type, help, samples);
  }
}

type Labels = Readonly<Record<string, string | number>>;

/** Writes the text format of Prometheus: each metric once, with its help and type, then its samples. */
class MetricsText {
  #lines: string[] = [];

  add(
    name: string,
    type: 'counter' | 'gauge',
    help: string,
    samples: Iterable<readonly [labels: Labels, value: number | bigint]>,
  ): void {
    this.#lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    for (const [labels, value] of samples)
      this.#lines.push(`${name}${labelsOf(labels)} ${numberText(value)}`);
  }

  toString(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}

function labelsOf(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}

function numberText(value: number | bigint): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return `${value}`;
}
