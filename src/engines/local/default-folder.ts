import { userInfo } from 'node:os';
import path from 'node:path';
import { BadInput } from '../../core/index.ts';

/**
 * The folder of `local:`. It survives a reboot, so that tokens keep growing, and temporary-file cleaners do not touch
 * it. It depends on the user alone. An environment variable such as TMPDIR or HOME would differ between a login
 * shell, cron and a service, and processes that should elect one leader would elect two.
 */
export function defaultFolder(): string {
  const { uid, homedir } = currentUser();
  return uid === 0 ? '/var/lib/caucus' : path.join(homedir, '.local', 'state', 'caucus');
}

function currentUser(): { readonly uid: number; readonly homedir: string } {
  try {
    const user = userInfo();
    if (user.uid === 0 || path.isAbsolute(user.homedir)) return user;
  } catch {
    // For example in a container that runs as a user without an entry in /etc/passwd.
  }
  throw new BadInput('url', 'local:/path, since this user has no home folder', 'local:');
}
