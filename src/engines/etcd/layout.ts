import { BadInput, type Json, show } from '../../core/index.ts';

/**
 * The keys of an election in etcd. The keys of candidates are those of the Go client's `concurrency.Election`, and so
 * of `etcdctl elect`. Our other keys are outside of its prefix; inside, they would count as candidates.
 */
export interface Layout {
  /** The key of every candidate begins with this. */
  readonly prefix: string;
  readonly prefixEnd: string;
  /** The value that was published last. It outlives its leader. */
  readonly valueKey: string;
  /** Where a leader finds requests to resign: one key for each leadership, so that old ones need not be removed. */
  readonly askedPrefix: string;
  readonly askedPrefixEnd: string;
  askedKey(token: bigint): string;
  /** The token of the leader that resigned last, beside the requests, which all participants watch. */
  readonly resignedKey: string;
  candidateKey(leaseHex: string): string;
  /** Counts how often this lease has left while a creation was in doubt: see `Place`. */
  leftKey(leaseHex: string): string;
  /** The lease of a candidate, from its key. */
  leaseOf(candidateKey: string): string | null;
}

export function layoutOf(election: string): Layout {
  return {
    prefix: `${election}/`,
    prefixEnd: `${election}0`, // The character after the slash.
    valueKey: `${election}.value`,
    askedPrefix: `${election}.asked.`,
    askedPrefixEnd: `${election}.asked/`, // The character after the dot.
    resignedKey: `${election}.asked.resigned`,
    askedKey: (token) => `${election}.asked.${token}`,
    candidateKey: (leaseHex) => `${election}/${leaseHex}`,
    leftKey: (leaseHex) => `${election}.left.${leaseHex}`,
    leaseOf(key) {
      const hex = key.slice(election.length + 1);
      return /^[0-9a-f]{1,16}$/.test(hex) ? BigInt(`0x${hex}`).toString() : null;
    },
  };
}

export function checkName(election: string): void {
  const isFit = typeof election === 'string' && !/[\p{Cc}\p{Cs}]/u.test(election);
  if (isFit && election !== '' && Buffer.byteLength(election) <= 1000) return;
  throw new BadInput('election', 'a name of 1 to 1000 bytes without control characters', show(election));
}

/** The value of our key: only our name, as other programs expect it, until a value is published with it. */
export function proposalOf(name: string, published?: Json): string {
  return published === undefined ? name : JSON.stringify({ name, value: published });
}

/** The candidate's name. The proposal of another program counts as a name, whatever it is. */
export function proposerOf(proposal: string, key: string): string {
  if (proposal === '') return key;
  if (proposal.startsWith('{"name":')) {
    try {
      const { name } = JSON.parse(proposal) as { name?: unknown };
      if (typeof name === 'string' && name !== '') return name;
    } catch {
      // Not one of ours.
    }
  }
  return proposal.length > 200 ? `${proposal.slice(0, 199)}…` : proposal;
}
