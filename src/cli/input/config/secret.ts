import { readSecretFile, readSecrets } from '../../../auth/index.ts';
import { BadInput } from '../../../core/index.ts';
import type { AnyJoinOptions } from '../../../member/index.ts';
import { Refusal } from '../refusal.ts';
import type { Given } from './sources.ts';

/** The secret of a member: in a file, or in the variable itself. */
export interface SecretSource {
  /** The options of `join` for it. */
  readonly options: Pick<AnyJoinOptions, 'secret' | 'secretFile'>;
  /** What may be shown of it: fingerprints. */
  readonly shown: string;
  readonly from: string;
}

const VARIABLE = 'CAUCUS_SECRET';

/** Null if there is none. The variable is used only if no file is named. Throws Refusal, with one line that shows no secret. */
export function secretSource(
  file: string | undefined,
  from: Given['from'] | undefined,
  env: NodeJS.ProcessEnv,
): SecretSource | null {
  if (file !== undefined && from !== undefined) {
    const shown = refusing(from, () => shownOf(readSecretFile(file, from), `${from}: ${file}`));
    return { options: { secretFile: file }, shown, from: file };
  }
  // Two, while one replaces the other, are separated by blanks or lines.
  const texts = (env[VARIABLE] ?? '').split(/\s+/).filter((text) => text !== '');
  if (texts.length === 0) return null;
  const shown = refusing(VARIABLE, () => shownOf(texts, VARIABLE));
  return { options: { secret: texts }, shown, from: VARIABLE };
}

function shownOf(texts: readonly string[], path: string): string {
  const prints = readSecrets(texts, path).map(({ fingerprint }) => fingerprint);
  return `*** (fingerprint ${prints.join(', ')})`;
}

function refusing<T>(from: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    const { path, expected, found } = error;
    throw new Refusal(`${path === '' ? from : path}: expected ${expected}, found ${found}`);
  }
}
