import { closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import path from 'node:path';
import { CaucusError } from '../election/index.ts';

/**
 * How long the process that holds a folder may take to say which one it is. A process that is stopped does not
 * answer, but still holds the folder.
 */
const NAME_MS = 500;

/** A folder that only this process uses. */
export interface FolderLock {
  /** Throws if the folder was deleted, or another process has taken it over. */
  assert(): void;
  release(): void;
}

/**
 * Two processes on one data folder would vote twice. The process that uses a folder listens on a socket in it. The
 * kernel closes that socket when the process dies, and at no other time, in whatever container the process runs. A
 * file with a pid would be wrong after a reboot, or in another pid namespace. The lock works on one host: a folder on
 * a network disk is not protected against processes of other hosts.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const file = path.join(folder, 'lock');
  const { name, forget } = shorten(folder);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end(`${process.pid}`);
  });
  try {
    for (let attempt = 0; !(await tryListen(server, name)); attempt++) {
      const holder = await askHolder(name);
      if (holder !== null || attempt > 9) throw inUse(folder, holder ?? 'another process');
      rmSync(file, { force: true });
    }
  } catch (error) {
    forget();
    throw error;
  }
  server.unref();
  const { ino } = statSync(file);
  const isOurs = (): boolean => statSync(file, { throwIfNoEntry: false })?.ino === ino;
  return {
    assert() {
      // Two processes that start at the same moment may both have found a dead socket; the one that came first finds
      // out here.
      if (isOurs()) return;
      if (existsSync(file)) throw inUse(folder, 'another process by now');
      throw new CaucusError(
        'E_STORE_LOCKED',
        `${folder}: the data folder was deleted or emptied while this member used it; restart the member: it then begins with an empty disk, and the others give it a new seat`,
      );
    },
    release() {
      // Closing the socket removes the file, even if that belongs to another process by now.
      if (isOurs()) server.close(forget);
    },
  };
}

/** The path of a Unix socket may have about a hundred bytes, so a long path is shortened through an open folder. */
function shorten(folder: string): { readonly name: string; forget(): void } {
  const name = path.join(folder, 'lock');
  if (Buffer.byteLength(name) < 100) return { name, forget: () => {} };
  const handle = openSync(folder, 'r');
  return { name: `/proc/self/fd/${handle}/lock`, forget: () => closeSync(handle) };
}

function tryListen(server: Server, name: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      server.off('listening', onListening);
      if (error.code === 'EADDRINUSE') resolve(false);
      else
        reject(
          new CaucusError('E_STORE_UNUSABLE', `cannot lock the data folder: ${error.message}`, {
            cause: error,
          }),
        );
    };
    const onListening = (): void => {
      server.off('error', onError);
      resolve(true);
    };
    server.once('error', onError).once('listening', onListening).listen(name);
  });
}

/** The process that uses the folder now, or null if there is none. */
export async function holderOf(folder: string): Promise<string | null> {
  const { name, forget } = shorten(folder);
  try {
    return await askHolder(name);
  } finally {
    forget();
  }
}

/** The process that holds it, or null if there is none any more. */
function askHolder(name: string): Promise<string | null> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connect(name);
    const timer = setTimeout(() => socket.destroy(), NAME_MS);
    let isHeld = false;
    socket.on('connect', () => {
      isHeld = true;
    });
    socket.on('data', (bytes) => {
      said += bytes.toString();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      isHeld ||= error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT';
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(isHeld ? (said === '' ? 'a process' : `process ${said}`) : null);
    });
  });
}

function inUse(folder: string, holder: string): CaucusError {
  return new CaucusError(
    'E_STORE_LOCKED',
    `${folder}: is used by ${holder}; stop it, or give this member a data folder of its own`,
  );
}
