import { BadInput, type Json, show } from '../../core/index.ts';

/**
 * Where an election is in etcd. The keys of candidates are those of the Go client's `concurrency.Election`, and so of
 * `etcdctl elect`. The others are ours, and stand outside of its prefix, or they would be candidates.
 */
export interface Layout {
  /** Every candidate has a key that begins with this. */
  readonly prefix: string;
  readonly prefixEnd: string;
  /** What was last published, and outlives who did. */
  readonly valueKey: string;
  /** Where a leader finds requests to resign: a key for each leadership, which does not have to be removed. */
  readonly askedPrefix: string;
  readonly askedPrefixEnd: string;
  askedKey(token: bigint): string;
  candidateKey(leaseHex: string): string;
  /** Counts how often this lease has left in doubt: see `Place`. */
  leftKey(leaseHex: string): string;
}

export function layoutOf(election: string): Layout {
  return {
    prefix: `${election}/`,
    prefixEnd: `${election}0`, // The character after the slash.
    valueKey: `${election}.value`,
    askedPrefix: `${election}.asked.`,
    askedPrefixEnd: `${election}.asked/`, // The character after the dot.
    askedKey: (token) => `${election}.asked.${token}`,
    candidateKey: (leaseHex) => `${election}/${leaseHex}`,
    leftKey: (leaseHex) => `${election}.left.${leaseHex}`,
  };
}

export function checkName(election: string): void {
  const isFit = typeof election === 'string' && !/[\p{Cc}\p{Cs}]/u.test(election);
  if (isFit && election !== '' && Buffer.byteLength(election) <= 1000) return;
  throw new BadInput('election', 'a name of 1 to 1000 bytes without control characters', show(election));
}

/** What our key says: only our name, as others expect it, until there is something published to go with it. */
export function proposalOf(name: string, published?: Json): string {
  return published === undefined ? name : JSON.stringify({ name, value: published });
}

/** Who proposes. What other programs propose is a name, whatever it is. */
export function proposerOf(proposal: string, key: string): string {
  if (proposal === '') return key;
  if (proposal.startsWith('{"name":')) {
    try {
      const { name } = JSON.parse(proposal) as { name?: unknown };
      if (typeof name === 'string' && name !== '') return name;
    } catch {
      // It only looked like one of ours.
    }
  }
  return proposal.length > 200 ? `${proposal.slice(0, 199)}…` : proposal;
}
