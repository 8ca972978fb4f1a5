import type { Json } from '../../core/index.ts';
import { CaucusError } from '../../election/index.ts';
import type { Entry } from './cell.ts';

/** The largest token. */
const LAST_TOKEN = 9_999_999_999_999_999_999n;

/** One attempt of one engine object to lead. No two are equal. */
export interface Holder {
  readonly name: string;
  readonly incarnation: string;
  readonly attempt: number;
}

/** What is kept for ever: the last winner with its token, and the value that was published last. */
export interface Kept extends Holder {
  readonly revision: number;
  readonly token: bigint;
  readonly value: Json;
  readonly version: number;
  /** The reason if an operator requests the winner's resignation; else null. */
  readonly asked: string | null;
}

export function isSame(a: Holder, b: Holder): boolean {
  return a.incarnation === b.incarnation && a.attempt === b.attempt;
}

export function writeHolder({ name, incarnation, attempt }: Holder): string {
  return JSON.stringify({ name, incarnation, attempt });
}

export function writeKept({ token, value, version, asked, ...holder }: Omit<Kept, 'revision'>): string {
  const { name, incarnation, attempt } = holder;
  const request = asked === null ? {} : { asked };
  return JSON.stringify({ token: String(token), name, incarnation, attempt, version, value, ...request });
}

/** Greater than the last token, and no less than the revision at which the lease was taken. */
export function nextToken(kept: Kept | null, revision: number): bigint {
  const last = kept?.token ?? 0n;
  if (last >= LAST_TOKEN)
    throw new CaucusError(
      'E_STORE_FOREIGN',
      `no token comes after ${last}, which another program has written there`,
    );
  return BigInt(revision) > last ? BigInt(revision) : last + 1n;
}

/** Null for nothing. */
export function readHolder({ text }: Pick<Entry, 'text'>): Holder | null {
  if (text === null) return null;
  return holderIn(parse(text));
}

/** Null for nothing. */
export function readKept({ text, revision }: Pick<Entry, 'text' | 'revision'>): Kept | null {
  if (text === null) return null;
  const found = parse(text);
  const { token, version, value, asked } = found;
  const fits = typeof token === 'string' && /^\d{1,19}$/.test(token) && Number.isSafeInteger(version);
  if (!fits) throw foreign();
  return {
    ...holderIn(found),
    revision,
    token: BigInt(token),
    version: Number(version),
    value: value as Json,
    asked: typeof asked === 'string' ? asked : null,
  };
}

function holderIn({ name, incarnation, attempt }: Record<string, unknown>): Holder {
  if (typeof name !== 'string' || typeof incarnation !== 'string' || !Number.isSafeInteger(attempt))
    throw foreign();
  return { name, incarnation, attempt: Number(attempt) };
}

function parse(text: string): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found === 'object' && found !== null) return found as Record<string, unknown>;
  } catch {
    // Thrown below.
  }
  throw foreign();
}

function foreign(): CaucusError {
  const message =
    'another program writes to the bucket: what is there is not ours. Name another with the option bucket';
  return new CaucusError('E_STORE_FOREIGN', message);
}
