import { unwatchFile, watchFile } from 'node:fs';
import type { TokenOption } from '../../../auth/index.ts';
import { BadInput } from '../../../core/index.ts';
import type { TokenSource } from '../../input/config/tokens.ts';
import { Refusal } from '../../input/refusal.ts';
import type { Log } from '../../terminal/log.ts';

const LOOK_EVERY_MS = 1000;

/**
 * Uses the tokens file again whenever it changes, so that a token is replaced without a restart, which would cost a
 * leadership. A file that cannot be used changes nothing. Returns a function that stops it.
 */
export function watchTokens(
  source: TokenSource | null,
  use: (tokens: readonly TokenOption[]) => void,
  log: Log,
): () => void {
  const file = source?.file ?? null;
  if (source === null || file === null) return () => {};
  // Not by events of the file system: they are lost when the file is replaced, as editors and Kubernetes do.
  const look = (): void => {
    try {
      use(source.read());
      log({ level: 'info', event: 'tokens', text: `the tokens in ${file} were read again` });
    } catch (error) {
      if (!(error instanceof Refusal) && !(error instanceof BadInput)) throw error;
      const text = `the tokens stay as they were: ${error.message}`;
      log({ level: 'error', event: 'tokens', text });
    }
  };
  watchFile(file, { interval: LOOK_EVERY_MS, persistent: false }, look);
  return () => unwatchFile(file, look);
}
