import { CaucusError } from '../election/index.ts';

/**
 * Goes behind each import of a library: bundlers take an import with `catch` for one that may fail, and do not insist on
 * a library that is not installed.
 */
export const optional = (error: unknown): never => {
  throw error;
};

/** Loads the libraries of a store. They are optional: only programs that use that store install them. */
export async function loadClient<T>(
  engine: string,
  libraries: readonly string[],
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const what = libraries.length === 1 ? 'package' : 'packages';
    const message = `the engine ${engine} needs the ${what} ${libraries.join(', ')}: npm install ${libraries.join(' ')}`;
    throw new CaucusError('E_UNSUPPORTED', message, { cause });
  }
}
