import { isToken, readSecretFile } from '../../../auth/index.ts';
import { BadInput } from '../../../core/index.ts';
import { Refusal } from '../../input/refusal.ts';

const EXPECTED = 'a token, as the tokens file of a member has it';

/**
 * The token for members: from the file of --token-file, or from CAUCUS_API_TOKEN, or from the file of
 * CAUCUS_API_TOKEN_FILE. Null if there is none. It is never a flag: every user of a machine sees those.
 */
export function readApiToken(file: string | undefined, env: NodeJS.ProcessEnv): string | null {
  if (file !== undefined) return readFile(file, '--token-file');
  const { CAUCUS_API_TOKEN: token, CAUCUS_API_TOKEN_FILE: named } = env;
  if (token && named) throw new Refusal('CAUCUS_API_TOKEN_FILE: expected it or CAUCUS_API_TOKEN, found both');
  if (named) return readFile(named, 'CAUCUS_API_TOKEN_FILE');
  return token ? checked(token.trim(), 'CAUCUS_API_TOKEN') : null;
}

function readFile(file: string, source: string): string {
  try {
    return checked(readSecretFile(file, source)[0]!, source);
  } catch (error) {
    if (error instanceof BadInput) throw new Refusal(error.message);
    throw error;
  }
}

/** The value is not shown: it may be nearly right. */
function checked(token: string, source: string): string {
  if (isToken(token)) return token;
  throw new Refusal(
    `${source}: expected ${EXPECTED}, found a text of ${token.length} characters that is none`,
  );
}
