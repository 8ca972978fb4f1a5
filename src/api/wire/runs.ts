import {
  anyText,
  choice,
  described,
  listOf,
  named,
  natural,
  nullable,
  openRecord,
  optional,
  type Shape,
} from '../../core/index.ts';
import { type OpenRun, occasionShape, type Run } from '../../once/index.ts';

/** An occasion that has begun and not ended. */
type OpenEntry = OpenRun & { readonly series: string };

export interface RunList {
  readonly electionName: string;
  readonly runs: readonly Run[];
  readonly open: readonly OpenEntry[];
}

const occasion = described(
  occasionShape,
  'A whole number, `2026-11`, `2026-W47`, `2026-11-16` or `2026-11-16T03:00:00.000Z`.',
);
const series = described(anyText, 'Which series of occasions; `main` if none was named.');
const token = described(anyText, 'The token of the leadership under which it was recorded.');
const attempt = described(natural, 'How many times the work has begun.');

const runEntry: Shape<Run> = named(
  'Run',
  openRecord<Run>({
    occasion,
    series,
    outcome: choice('done', 'failed', 'skipped'),
    member: described(anyText, 'The participant that recorded the end.'),
    token,
    attempt,
    began: nullable(described(anyText, 'When the last attempt began, by the clock of that participant.')),
    ended: anyText,
    error: optional(described(anyText, 'Why it failed or was skipped.')),
  }),
);

const openEntry: Shape<OpenEntry> = named(
  'OpenRun',
  openRecord<OpenEntry>({
    occasion,
    series,
    member: described(anyText, 'The participant that began it last.'),
    token,
    attempt,
    failures: described(natural, 'How many of the attempts have failed.'),
    began: anyText,
  }),
);

export const runList: Shape<RunList> = named(
  'Runs',
  openRecord<RunList>({
    electionName: anyText,
    runs: described(listOf(runEntry), 'The occasions that ended last, the newest at the end.'),
    open: described(listOf(openEntry), 'Those that have begun and not ended.'),
  }),
);
