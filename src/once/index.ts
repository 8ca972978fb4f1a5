/** Work that is done once for each occasion: occasions, what is recorded of them, and the rules. */
export { type CatchUp, due, type FireTimes } from './catch-up.ts';
export { instantAt, momentOf, type Occasion, parseOccasion } from './occasion.ts';
export { beginOwned, endedWith, endOwned } from './owned.ts';
export {
  EMPTY_RECORD,
  isRecord,
  MAIN_SERIES,
  type OnceRecord,
  type OpenRun,
  occasionShape,
  openRunsIn,
  type Run,
  readRecord,
  type Series,
  seriesIn,
  seriesName,
  writeRecord,
} from './record.ts';
export { type Actor, begin, decide, end, settled, type Wish } from './rules.ts';
