import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import path from 'node:path';
import { CaucusError } from '../election/index.ts';

/** How long the process that holds a folder may take to say who it is. It may be stopped, and still holds it. */
const NAME_MS = 500;

/** A folder that is ours alone. */
export interface FolderLock {
  /** Throws if another process took the folder away from us. */
  assert(): void;
  release(): void;
}

/**
 * Two processes on one data folder would vote twice. The process that uses a folder listens on a socket in it: the kernel lets go of
 * it when the process is gone, and at no other time, whatever container either of them runs in. A file with a pid could not
 * say that much after a reboot, or from another pid namespace. It guards one host: folders that several hosts can reach at
 * once (a network disk) are not guarded against each other.
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
      // Two that start at the same moment may both have found a dead socket; the one that was faster notices here.
      if (!isOurs()) throw inUse(folder, 'another process by now');
    },
    release() {
      // Closing the socket removes the file, also if it belongs to another process by now.
      if (isOurs()) server.close(forget);
    },
  };
}

/** The name of a socket has room for some hundred bytes, so a long path is shortened by way of an open folder. */
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

/** Who holds it, or null if no process does any more. */
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
