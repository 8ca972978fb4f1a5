/**
 * What the lease manager keeps in the register of its own election: who holds each election of the participants, and
 * what was published there. It is what a new manager begins with, so everything that a manager has promised and that
 * must not be forgotten is in it. Renewals are not: see manager.ts.
 */
import {
  anyJson,
  anyText,
  BadInput,
  electionName,
  type Json,
  listOf,
  matching,
  natural,
  nullable,
  number,
  record,
  type Shape,
  show,
  text,
} from '../core/index.ts';

/** The election among the members whose leader is the lease manager. No program opens it under this name. */
export const LEASES_ELECTION = 'caucus.leases';

/** Why that election is not open: the first participant that takes an election opens it. */
export const NO_PARTICIPANT =
  'no program has taken an election of these members yet, as far as this one knows';

/** Is this a name that members use for themselves? */
export function isReserved(election: string): boolean {
  return election === LEASES_ELECTION;
}

/** The name of an election that a program may open. Throws BadInput. */
export function notReserved(election: string): string {
  if (!isReserved(election)) return election;
  throw new BadInput('election', 'a name that members do not use among themselves', show(election));
}

/** The register of the protocol holds no more characters of JSON. */
export const LARGEST_REGISTER: number = 64 * 1024;
/** One election must not use up the register of all of them. */
export const LARGEST_VALUE: number = 16 * 1024;

export const SHORTEST_LEASE_MS = 100;
export const LONGEST_LEASE_MS = 86_400_000;
export const LONGEST_REASON = 500;

/** The lease of an election: which session of which participant holds it. */
export interface Lease {
  readonly holder: string;
  /** The digest of the session: a reader of the register cannot act in its name. */
  readonly session: string;
  /** The number of the request that took it. */
  readonly attempt: number;
  readonly token: string;
  readonly leaseMs: number;
  /** Why its holder is asked to resign, or null. */
  readonly asked: string | null;
}

/** One election of the participants. It is in the register while it is held, or has a value. */
export interface Entry {
  readonly name: string;
  readonly lease: Lease | null;
  readonly value: Json;
  readonly version: number;
}

export interface LeaseRegister {
  /** The version of this format. */
  readonly leases: 1;
  /** How many values were published in all elections: the version of the newest one. */
  readonly versions: number;
  readonly elections: readonly Entry[];
}

export const EMPTY_REGISTER: LeaseRegister = { leases: 1, versions: 0, elections: [] };

export const holderName: Shape<string> = matching(
  /^[\x21-\x7e]{1,200}$/,
  '1 to 200 visible characters without spaces',
);
export const leaseLength: Shape<number> = number(SHORTEST_LEASE_MS, LONGEST_LEASE_MS);
export const tokenText: Shape<string> = matching(/^[1-9]\d{0,29}$/, 'a token: decimal digits');

const lease: Shape<Lease> = record<Lease>({
  holder: holderName,
  session: text(64),
  attempt: natural,
  token: tokenText,
  leaseMs: leaseLength,
  asked: nullable(anyText),
});

const entry: Shape<Entry> = record<Entry>({
  name: electionName,
  lease: nullable(lease),
  value: anyJson,
  version: natural,
});

const format: Shape<1> = {
  expected: 'the format 1 of this version',
  read: (value, path) => number(1, 1).read(value, path) as 1,
};

/** Throws BadInput for what another version, or another program, has written. Null: nothing was written yet. */
export const leaseRegister: Shape<LeaseRegister> = {
  expected: 'a register of leases',
  read(value, path) {
    if (value === null) return EMPTY_REGISTER;
    return record<LeaseRegister>({ leases: format, versions: natural, elections: listOf(entry) }).read(
      value,
      path,
    );
  },
};
