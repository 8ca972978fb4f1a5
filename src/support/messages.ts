/** What two processes say to each other about support. All numbers are counted by the process that sends them. */
import {
  electionName,
  listOf,
  type Message,
  natural,
  nullable,
  number,
  openRecord,
  record,
  type Shape,
  text,
} from '../core/index.ts';

/** Where messages name an election, this stands for all of them. It is no name of an election. */
export const ALL_ELECTIONS = '*';

/** The most elections that one list names. */
export const MOST_LISTED = 1000;

const LONGEST = 256;
const life = text(LONGEST);

/** An election that does not rest any more, and the count of such endings with it. */
export interface Ended {
  readonly election: string;
  readonly count: number;
}

/**
 * The endings that the other side has not confirmed yet. Null: too many to list, so that every election counts as
 * ended.
 */
export type Endings = readonly Ended[] | null;

interface Offered {
  readonly election: string;
  readonly mark: string;
  /** The round of that election for which this request stands. */
  readonly round: number;
}

/** A leader's process asks: renew your promise in all elections that rest with me. */
export interface SupportRequest extends Message {
  readonly type: 'support';
  readonly life: string;
  readonly round: number;
  readonly promiseMs: number;
  /** How many elections have ended their rest, and the latest of them. */
  readonly count: number;
  readonly ended: Endings;
  /** The process of the voter that answered last, or null; and the count of it that this side has seen. */
  readonly to: string | null;
  readonly seen: number;
  /** Elections that could rest from this round on. */
  readonly offers: readonly Offered[];
}

export interface SupportAnswer extends Message {
  readonly type: 'support/answer';
  /** The process that asked. */
  readonly to: string;
  readonly life: string;
  readonly round: number;
  readonly count: number;
  readonly ended: Endings;
  readonly seen: number;
  /** Of those that were offered: they rest now, or cannot. */
  readonly rested: readonly string[];
  readonly refused: readonly string[];
}

const ended = nullable(listOf(record<Ended>({ election: electionName, count: natural }), MOST_LISTED));
const offers = listOf(
  record<Offered>({ election: electionName, mark: text(LONGEST), round: natural }),
  MOST_LISTED,
);
const names = listOf(electionName, MOST_LISTED);

/** The fields of each message, without its type. */
export const supportMessages: {
  readonly support: Shape<Omit<SupportRequest, 'type'>>;
  readonly 'support/answer': Shape<Omit<SupportAnswer, 'type'>>;
} = {
  support: openRecord({
    life,
    round: natural,
    promiseMs: number(0, 1e9),
    count: natural,
    ended,
    to: nullable(life),
    seen: natural,
    offers,
  }),
  'support/answer': openRecord({
    to: life,
    life,
    round: natural,
    count: natural,
    ended,
    seen: natural,
    rested: names,
    refused: names,
  }),
};
