import {
  anyText,
  BadInput,
  choice,
  integer,
  type Json,
  listOf,
  matching,
  natural,
  nullable,
  optional,
  record,
  type Shape,
  text,
} from '../core/values.ts';
import { type Occasion, parseOccasion } from './occasion.ts';

/** How an occasion ended, for good. */
export type RunOutcome = 'done' | 'failed' | 'skipped';

/** An occasion that has ended. */
export interface Run {
  readonly occasion: Occasion;
  /** Which series of occasions, where several share an election. */
  readonly series: string;
  readonly outcome: RunOutcome;
  /** The participant that recorded it, and its token. */
  readonly member: string;
  readonly token: string;
  /** How many times the work began; 0 if it never did. */
  readonly attempt: number;
  /** When its last attempt began, by the clock of the participant; null if none did. */
  readonly began: string | null;
  readonly ended: string;
  /** Why it failed or was skipped. */
  readonly error?: string | undefined;
}

/** An occasion that has begun and not ended, as far as is recorded. */
export interface OpenRun {
  readonly occasion: Occasion;
  readonly member: string;
  readonly token: string;
  /** How many times the work began. */
  readonly attempt: number;
  /** How many of these attempts have failed. The others were cut short: a crash, a lost leadership. */
  readonly failures: number;
  readonly began: string;
}

export interface Series {
  readonly name: string;
  readonly last: Run | null;
  readonly open: OpenRun | null;
}

/** What is kept of the occasions of an election: the value that its leaders publish. */
export interface OnceRecord {
  readonly series: readonly Series[];
  /** The runs that ended last, of all series, the newest at the end. */
  readonly runs: readonly Run[];
}

export const EMPTY_RECORD: OnceRecord = { series: [], runs: [] };

/** The series of a caller that names none. */
export const MAIN_SERIES = 'main';

const MARK = 'once';
const VERSION = 1;
/** Stores limit values, and each change sends the whole record: so many runs are kept, in so many characters. */
const MOST_RUNS = 20;
const LONGEST_RUNS = 4096;
const LONGEST_ERROR = 200;

export const seriesName: Shape<string> = matching(
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  '1 to 64 letters, digits, ".", "_" and "-", of which the first is a letter or a digit',
);

export const occasionShape: Shape<Occasion> = {
  expected: 'an occasion',
  schema: { type: ['string', 'integer'] },
  read: (value, path) => parseOccasion(value, path),
};

const tokenText = matching(/^\d{1,38}$/, 'a token: decimal digits');

const run: Shape<Run> = record<Run>({
  occasion: occasionShape,
  series: seriesName,
  outcome: choice('done', 'failed', 'skipped'),
  member: anyText,
  token: tokenText,
  attempt: natural,
  began: nullable(anyText),
  ended: anyText,
  error: optional(anyText),
});

const openRun: Shape<OpenRun> = record<OpenRun>({
  occasion: occasionShape,
  member: anyText,
  token: tokenText,
  attempt: natural,
  failures: natural,
  began: anyText,
});

const document = record<OnceRecord & { readonly caucus: string; readonly version: number }>({
  caucus: text(MARK.length),
  version: integer(VERSION, VERSION),
  series: listOf(record<Series>({ name: seriesName, last: nullable(run), open: nullable(openRun) })),
  runs: listOf(run),
});

/** Is this published value a record of occasions, of whatever version? */
export function isRecord(value: Json): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && 'caucus' in value
    ? value.caucus === MARK
    : false;
}

/** Throws BadInput for a value that is no record of occasions, or one of another version. */
export function readRecord(value: Json, path: string): OnceRecord {
  if (value === null) return EMPTY_RECORD;
  if (!isRecord(value)) throw new BadInput(path, 'a record of occasions', 'another value');
  const { series, runs } = document.read(value, path);
  return { series, runs };
}

/** The value to publish. */
export function writeRecord({ series, runs }: OnceRecord): Json {
  return { caucus: MARK, version: VERSION, series, runs } as unknown as Json;
}

export function seriesIn({ series }: OnceRecord, name: string): Series {
  return series.find((each) => each.name === name) ?? { name, last: null, open: null };
}

/** What has begun and not ended, with the series of each. */
export function openRunsIn({ series }: OnceRecord): readonly (OpenRun & { readonly series: string })[] {
  return series.flatMap(({ name, open }) => (open === null ? [] : [{ series: name, ...open }]));
}

/** Replaces this series, and adds a run that has ended. The oldest runs make room. */
export function withSeries(before: OnceRecord, changed: Series, ...ended: readonly Run[]): OnceRecord {
  const others = before.series.filter(({ name }) => name !== changed.name);
  const runs = [...before.runs, ...ended].slice(-MOST_RUNS);
  let length = runs.reduce((sum, each) => sum + JSON.stringify(each).length, 0);
  while (length > LONGEST_RUNS && runs.length > 1) length -= JSON.stringify(runs.shift()).length;
  return { series: [...others, changed], runs };
}

/** Errors of programs may be long. */
export function shortError(message: string): string {
  return message.length > LONGEST_ERROR ? `${message.slice(0, LONGEST_ERROR - 3)}...` : message;
}
