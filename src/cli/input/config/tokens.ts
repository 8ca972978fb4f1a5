import { parseTokens, readPrivateFile, type TokenOption } from '../../../auth/index.ts';
import { BadInput } from '../../../core/index.ts';
import { Refusal } from '../refusal.ts';

/** Where the tokens of a member are: in a file, or in the variable itself. */
export interface TokenSource {
  readonly file: string | null;
  /** Reads them; again after the file has changed. Throws Refusal, with one line that shows no token. */
  read(): readonly TokenOption[];
}

/** Null if there are none. The variable is used only if no file is named. */
export function tokenSource(file: string | undefined, env: NodeJS.ProcessEnv): TokenSource | null {
  if (file !== undefined)
    return { file, read: () => refusing(() => parseTokens(readPrivateFile(file, 'the tokens file'), file)) };
  const text = env.CAUCUS_TOKENS;
  if (text === undefined || text === '') return null;
  return { file: null, read: () => refusing(() => parseTokens(text, 'CAUCUS_TOKENS')) };
}

function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof BadInput) throw new Refusal(error.message);
    throw error;
  }
}
