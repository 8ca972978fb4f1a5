/**
 * The times of a cluster that runs: those that its members are configured with, or those that an operator set. These
 * stand in the register of the main election, where every member finds them, also after a restart; the other elections
 * follow (following.ts).
 */
import type { LinkStatus, TimingPort } from '../api/index.ts';
import { type Config, canonicalText, type Json, type Retimed, type SetTimes } from '../core/index.ts';
import type { Settled } from './options.ts';
import { settingsOf } from './rules.ts';

type Configured = Pick<Settled, 'definition' | 'config'>;

/** The settings as they hold. */
export function configInForce({ definition, config }: Configured, retimed: Retimed | null): Config {
  return retimed === null ? config : definition.retiming!.config(config, retimed.times);
}

export function isSameTimes(one: SetTimes | null, other: SetTimes | null): boolean {
  return canonicalText(one) === canonicalText(other);
}

/**
 * Why these times cannot work on the links of this member, or null. With a round trip that is longer than a time-out or a
 * lease no leader stays, and setting other times again needs a leader.
 */
export function slowLinks(
  settled: Configured,
  times: SetTimes,
  links: readonly Pick<LinkStatus, 'id' | 'roundTripMs'>[],
): string | null {
  const { timeoutMs, leaseMs } = settingsOf(
    settled.definition,
    configInForce(settled, { times, isCommitted: true, lacking: [] }),
  ).timing;
  const leastMs = Math.min(
    ...[timeoutMs, leaseMs].flat().filter((ms): ms is number => typeof ms === 'number'),
  );
  const slow = links.filter(({ roundTripMs }) => (roundTripMs ?? 0) >= leastMs);
  if (slow.length === 0) return null;
  const measured = slow.map(({ id, roundTripMs }) => `${id}: ${roundTripMs!.toFixed(1)} ms`).join(', ');
  return `the times are too short for the round trips to the other members (${measured}): the shortest time-out or lease is ${leastMs} ms`;
}

/** What a member tells of its times. */
export function timingOf(settled: Configured, retimed: Retimed | null): TimingPort {
  const inForce = configInForce(settled, retimed);
  const [now, configured] = [inForce, settled.config].map((config) =>
    settingsOf(settled.definition, config!),
  );
  const [words, own] = [inForce, settled.config].map((config) => timingWords(settled, config!));
  const differs = canonicalText(now!) !== canonicalText(configured!);
  return {
    words: words!,
    configured: differs ? own! : words!,
    times: now!.timing,
    isSet: retimed !== null,
    difference: differs
      ? `the timing of the cluster is ${words}, which an operator set, and this member is configured with ${own}; change its configuration, or the cluster: caucus reconfigure timing=...`
      : null,
  };
}

/** The preset, and the times and options that differ from it: "wan, timeoutMs [1500,3000], maxDrift 0.05". */
function timingWords({ definition }: Configured, { timing, options }: Config): string {
  const chosen = (definition.timingOptions ?? []).map((name) => String(options[name]));
  const given = Object.entries(timing)
    .filter(([name, value]) => value !== definition.timing[name]?.default)
    .map(([name, value]) => `${name} ${JSON.stringify(value as Json)}`);
  const changed = (definition.retiming?.options ?? [])
    .filter((name) => options[name] !== definition.options[name]?.default)
    .map((name) => `${name} ${String(options[name])}`);
  return [...chosen, ...given, ...changed].join(', ');
}
