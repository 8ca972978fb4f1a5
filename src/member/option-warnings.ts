/** Options that are allowed, but may not be what was meant: one line of the log each. */
import type { AnyJoinOptions } from './join-options.ts';
import type { Settled } from './options.ts';

/** A list of peers that holds only the member itself is meant: no warning. */
export function warningsOf(options: AnyJoinOptions, settled: Settled): string[] {
  const { firstStart, peers, trustConnections } = options;
  const { id, seed, definition } = settled;
  const isAlone =
    (peers ?? []).length === 0 &&
    seed === null &&
    settled.join === null &&
    definition.registration === undefined;
  return [
    ...(firstStart === true ? ['firstStart is no longer needed and is ignored'] : []),
    ...(trustConnections === true && !settled.trustConnections ? [NOT_TRUSTED] : []),
    ...(isAlone
      ? [
          `no peers are configured: ${id} is the only voter of its cluster and elects itself; give it the other members (peers, --peers)`,
        ]
      : []),
  ];
}

const NOT_TRUSTED =
  'trustConnections is ignored: other machines can reach this member, and nothing authenticates the processes that connect; give all members certificates (tls, --tls-cert) or the same secret (secretFile, --secret-file)';
