import { createReadStream } from 'node:fs';
import { parseJson } from './parse-json.ts';
import { isSystemError, Refusal, systemWords } from './refusal.ts';

const LONGEST_BYTES = 1_000_000;

/** The name of a source in messages. */
export function inputName(file: string): string {
  return file === '-' ? 'standard input' : file;
}

/** Reads a JSON document from a file, or from standard input for `-`. Stops reading soon after the size limit. */
export function readInput(file: string): Promise<unknown> {
  return readWith(file, parseJson);
}

/** The same for a document in another form. What `parse` refuses is told with the name of the file. */
export async function readWith<T>(file: string, parse: (text: string) => T): Promise<T> {
  try {
    return parse(await readText(file === '-' ? process.stdin : createReadStream(file)));
  } catch (error) {
    if (error instanceof Refusal) throw new Refusal(`${inputName(file)}: ${error.message}`);
    if (isSystemError(error)) throw new Refusal(`${inputName(file)}: ${systemWords(error)}`);
    throw error;
  }
}

async function readText(source: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > LONGEST_BYTES) throw new Refusal(`expected at most ${LONGEST_BYTES} bytes, found more`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new Refusal('expected text in UTF-8, found other bytes');
  }
}
