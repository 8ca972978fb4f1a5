import { CaucusError } from '../election/index.ts';

/** Loads the library that talks to a store, which only those who use that store have installed. */
export async function loadClient<T>(engine: string, library: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const message = `the engine ${engine} needs the package ${library}: npm install ${library}`;
    throw new CaucusError('E_UNSUPPORTED', message, { cause });
  }
}
