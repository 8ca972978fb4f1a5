import { chmodSync, closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs';

/** Opens a file only to refer to it. Node.js has no name for it. */
const O_PATH = 0o10000000;

/** On a file this tells systemd-tmpfiles never to delete it (XDG Base Directory Specification). The kernel ignores it. */
const STICKY = process.platform === 'linux' ? 0o1000 : 0;

/**
 * The rights of a folder decide about those of what is in it: every user that may write there takes part. Where others may enter and not
 * write, those who take part share a group.
 */
function rightsIn({ mode }: Stats): { readonly socket: number; readonly info: number } {
  if ((mode & 0o022) === 0) return { socket: 0o600, info: 0o600 };
  const mayOthersLook = (mode & 0o003) === 0o001;
  return mayOthersLook ? { socket: 0o660, info: 0o640 } : { socket: 0o666, info: 0o644 };
}

export const socketRights = (folder: Stats): number => rightsIn(folder).socket | STICKY;
export const infoRights = (folder: Stats): number => rightsIn(folder).info | STICKY;

/** Where others may write they could put something else in its place, and have us give them rights to that. */
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
