import { BadInput } from '../../../../src/core/index.ts';
import { type Run, readRun, TooLarge } from '../../game/run/run.ts';
import { isTrace, type Recording, readTraces, type TextFile } from './trace-reader.ts';

/** Larger files are refused before they are read. */
export const LARGEST_BYTES = 20_000_000;
/** How long to work before the page draws again. */
const STRETCH_MS = 10;

export type Opened =
  | { readonly kind: 'run'; readonly name: string; readonly run: Run }
  | ({ readonly kind: 'recording'; readonly name: string } & Recording);

/** What is needed of a file. */
export interface Source {
  readonly name: string;
  readonly size: number;
  text(): Promise<string>;
}

/** Opens a scenario, or one or several traces. Throws an error that says in words what is wrong. */
export async function openFiles(sources: readonly Source[]): Promise<Opened> {
  const size = sources.reduce((sum, each) => sum + each.size, 0);
  if (size > LARGEST_BYTES) {
    const limit = `${LARGEST_BYTES / 1e6} MB`;
    throw new Error(
      `${nameOf(sources)} has ${(size / 1e6).toFixed(0)} MB, and a page takes no more than ${limit}. A trace may be cut short after any line.`,
    );
  }
  const files: TextFile[] = [];
  for (const source of sources) files.push({ name: source.name, text: await source.text() });
  const [first] = files;
  if (first === undefined) throw new Error('That contains no file.');
  const name = nameOf(sources);
  if (isTrace(first.text)) return { kind: 'recording', name, ...(await inPieces(readTraces(files))) };
  if (files.length > 1) throw new Error('Several files at once have to be recordings of one cluster.');
  return { kind: 'run', name, run: readScenarioText(first.text) };
}

function readScenarioText(text: string): Run {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw new Error(
      'This is neither a scenario (one JSON document) nor a trace (a line of JSON for each step).',
    );
  }
  try {
    return readRun(given);
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    const rest = error instanceof TooLarge ? ' The command takes larger ones: caucus simulate FILE.' : '';
    throw new Error(`This is not a scenario that can be played here. ${error.message}.${rest}`, {
      cause: error,
    });
  }
}

function nameOf(sources: readonly Source[]): string {
  return sources.length === 1 ? sources[0]!.name : `${sources.length} files`;
}

/** Works in small pieces, so that the page stays responsive. */
async function inPieces<T>(work: Generator<void, T>): Promise<T> {
  let endMs = performance.now() + STRETCH_MS;
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    if (performance.now() < endMs) continue;
    await new Promise((resolve) => setTimeout(resolve, 0));
    endMs = performance.now() + STRETCH_MS;
  }
}
