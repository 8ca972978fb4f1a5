import { chmodSync, closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs';

/** Opens a file only to refer to it. Node.js has no constant for it. */
const O_PATH = 0o10000000;

/** On a file this tells systemd-tmpfiles never to delete it (XDG Base Directory Specification). The kernel ignores it. */
const STICKY = process.platform === 'linux' ? 0o1000 : 0;

/**
 * The permissions of the folder decide about the files in it: every user that may write there takes part. Where
 * others may enter but not write, the participants share a group.
 */
function rightsIn({ mode }: Stats): { readonly socket: number; readonly info: number } {
  if ((mode & 0o022) === 0) return { socket: 0o600, info: 0o600 };
  const mayOthersLook = (mode & 0o003) === 0o001;
  return mayOthersLook ? { socket: 0o660, info: 0o640 } : { socket: 0o666, info: 0o644 };
}

export const socketRights = (folder: Stats): number => rightsIn(folder).socket | STICKY;
export const infoRights = (folder: Stats): number => rightsIn(folder).info | STICKY;

/** Where other users may write they could replace the socket by another file, and make us change its permissions. */
export function letIn(socket: string, mode: number): void {
  if (process.platform !== 'linux') return;
  const handle = openSync(socket, O_PATH | constants.O_NOFOLLOW);
  try {
    const found = fstatSync(handle);
    if (!found.isSocket() || found.uid !== process.geteuid?.())
      throw new Error(`another process has put something in the place of ${socket}`);
    chmodSync(`/proc/self/fd/${handle}`, mode);
  } finally {
    closeSync(handle);
  }
}
