/**
 * What a witness that is no member says to a member, and is told by it: `POST /witness`. The first request registers it, the next
 * one shows that both run on one kernel, and later ones report deaths (src/member/witness/).
 */
import {
  described,
  flag,
  listOf,
  type MemberId,
  named,
  natural,
  nullable,
  openRecord,
  optional,
  record,
  type Shape,
  text,
  writtenId,
} from '../../core/index.ts';
import { voterUrl } from '../urls.ts';
import { name } from './name.ts';

/** The same as in src/peers, of which the API knows nothing. */
export interface ProcessDocument {
  readonly bootId: string;
  readonly pidNamespace: string;
  readonly pid: number;
  readonly startTime: string;
}

export interface DeathDocument {
  readonly id: MemberId;
  readonly life: string;
  readonly process: ProcessDocument;
}

const short = text(256);

export const processIdentity: Shape<ProcessDocument> = named(
  'Process',
  openRecord<ProcessDocument>({
    bootId: described(short, 'The boot of its host.'),
    pidNamespace: described(short, 'Where its pid and start time are valid.'),
    pid: natural,
    startTime: described(short, 'Tells it from a later process with the same pid.'),
  }),
);

export const deathReport: Shape<DeathDocument> = named(
  'Death',
  openRecord<DeathDocument>({
    id: described(writtenId, 'The member.'),
    life: described(short, 'The life that its process greeted with.'),
    process: processIdentity,
  }),
);

export interface WitnessRequest {
  readonly voterId: MemberId;
  readonly host: Pick<ProcessDocument, 'bootId' | 'pidNamespace'>;
  readonly token?: string | undefined;
  readonly gone?: readonly DeathDocument[] | undefined;
}

/** A host has few members; a report that was not delivered is sent again. */
const MOST_GONE = 100;

export const witnessRequest: Shape<WitnessRequest> = named(
  'Witness',
  record<WitnessRequest>({
    voterId: described(writtenId, 'The witness.'),
    host: described(record({ bootId: short, pidNamespace: short }), 'The host that it sees.'),
    token: optional(described(short, 'What it read from the local socket of the member.')),
    gone: optional(described(listOf(deathReport, MOST_GONE), 'Processes of its host that are dead.')),
  }),
);

/** A member that runs on the host of the witness says by which socket the witness can meet it. */
export interface NeighbourDocument {
  readonly life: string;
  readonly process: ProcessDocument;
  readonly localSocket: string;
}

export interface WitnessAnswer {
  readonly voterId: MemberId;
  readonly neighbour: NeighbourDocument | null;
  readonly isMet: boolean;
  readonly members: readonly { readonly id: MemberId; readonly url: string }[];
}

export const witnessAnswer: Shape<WitnessAnswer> = named(
  'WitnessAnswer',
  openRecord<WitnessAnswer>({
    voterId: name,
    neighbour: described(
      nullable(openRecord<NeighbourDocument>({ life: short, process: processIdentity, localSocket: short })),
      'The process that answers, if it runs on the host of the witness.',
    ),
    isMet: described(flag, 'The token was drawn by the process that answers, so both run on one kernel.'),
    members: described(listOf(record({ id: writtenId, url: voterUrl }), 1000), 'The members to report to.'),
  }),
);
