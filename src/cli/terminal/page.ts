import { type Paint, paintFor } from './colours.ts';

/** The output: its width, and its colours. */
export interface Page {
  readonly columns: number;
  readonly paint: Paint;
}

const NARROWEST = 60;
const USUAL = 80;

export function pageOf(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Page {
  const columns = stream.columns || Number(env.COLUMNS) || USUAL;
  return { columns: Math.max(columns, NARROWEST), paint: paintFor(stream, env) };
}
