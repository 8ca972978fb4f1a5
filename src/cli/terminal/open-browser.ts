import { spawn } from 'node:child_process';

/** The program that opens an address in the user's browser. */
const OPENERS: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  // The empty word is the title of a window, which `start` expects first.
  win32: ['cmd', '/c', 'start', ''],
};

/** Settles with null once the browser was started, or with the reason why not. */
export function openBrowser(url: string): Promise<string | null> {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(command!, [...args, url], { stdio: 'ignore', detached: true });
    child.on('error', ({ code, message }: NodeJS.ErrnoException) =>
      resolve(code === 'ENOENT' ? `there is no ${command} here` : message),
    );
    child.on('exit', (code, signal) =>
      resolve(code === 0 ? null : `${command} ended with ${signal ?? `exit code ${code}`}`),
    );
    // That process may be the browser itself, which keeps running.
    child.unref();
  });
}
