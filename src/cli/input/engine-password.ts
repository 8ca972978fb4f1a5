/**
 * The password of a store from a file or a variable, so that it is on no command line, where every user of the machine
 * sees it. It is put where the URL of the store would have it.
 */
import { readSecretFile } from '../../auth/index.ts';
import { BadInput } from '../../core/index.ts';
import { shownUrl } from '../../engines/index.ts';
import { Refusal } from './refusal.ts';

export interface EnginePassword {
  readonly text: string;
  /** The flag or variable that it comes from. */
  readonly from: string;
}

/** Null if there is none. */
export function readEnginePassword(file: string | undefined, env: NodeJS.ProcessEnv): EnginePassword | null {
  const { CAUCUS_ENGINE_PASSWORD: text, CAUCUS_ENGINE_PASSWORD_FILE: named } = env;
  if (file !== undefined)
    return { text: readFile(file, '--engine-password-file'), from: '--engine-password-file' };
  if (text && named)
    throw new Refusal('CAUCUS_ENGINE_PASSWORD_FILE: expected it or CAUCUS_ENGINE_PASSWORD, found both');
  if (named)
    return { text: readFile(named, 'CAUCUS_ENGINE_PASSWORD_FILE'), from: 'CAUCUS_ENGINE_PASSWORD_FILE' };
  return text ? { text, from: 'CAUCUS_ENGINE_PASSWORD' } : null;
}

function readFile(file: string, source: string): string {
  try {
    return readSecretFile(file, source)[0]!;
  } catch (error) {
    if (error instanceof BadInput) throw new Refusal(error.message);
    throw error;
  }
}

/** What stands before the @ of a URL without a password. */
const WITHOUT_USER: Readonly<Record<string, (password: string) => string>> = {
  redis: (password) => `:${password}`,
  rediss: (password) => `:${password}`,
  // A token has no user.
  nats: (password) => password,
  tls: (password) => password,
  caucus: (password) => password,
  caucuss: (password) => password,
};

/** The URL of a store with the password in it. */
export function withPassword(url: string, { text, from }: EnginePassword): string {
  const [, scheme = '', rest = ''] = /^([a-z]+):\/\/(.*)$/s.exec(url) ?? [];
  const at = rest.lastIndexOf('@');
  const user = at < 0 ? '' : rest.slice(0, at);
  const password = encodeURIComponent(text);
  if (scheme === '')
    throw new Refusal(`${from}: expected a store whose URL has a host, found ${shownUrl(url)}`);
  if (user.includes(':')) throw new Refusal(`${from}: expected no password in --engine beside it, found one`);
  const without = WITHOUT_USER[scheme];
  if (user === '' && without === undefined)
    throw new Refusal(`${from}: expected a user in --engine, as in ${scheme}://user@host, found none`);
  const before = user === '' ? without!(password) : `${user}:${password}`;
  return `${scheme}://${before}@${at < 0 ? rest : rest.slice(at + 1)}`;
}
