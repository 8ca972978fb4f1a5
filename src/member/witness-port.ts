/** What a member tells witnesses that are no members, and what it does with their reports. */
import type { WitnessPort } from '../api/index.ts';
import { isSameHost } from '../peers/index.ts';
import type { Links } from './links/links.ts';
import type { Settled } from './options.ts';

/** Null if the member trusts no witnesses. */
export function witnessPort({ trustWitnesses }: Settled, links: Links): WitnessPort | null {
  if (trustWitnesses === false) return null;
  return {
    trusts: (witness) => trustWitnesses === true || trustWitnesses.includes(witness),
    neighbourOn(host) {
      const { life, process, localSocket } = links.own;
      if (process === null || localSocket === undefined || !isSameHost(process, host)) return null;
      return { life, process, localSocket };
    },
    drew: (token) => links.drew(token),
    report: (witness, host, death) => links.reported(witness, host, death),
  };
}
