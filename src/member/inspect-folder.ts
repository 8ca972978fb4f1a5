/** Looks at a data folder as a start would, and changes nothing in it. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { CaucusError } from '../election/index.ts';
import { recover } from '../store/index.ts';
import { electionFile, LOG_FILE, MEMBER_FILE } from './folder-files.ts';
import { holderOf } from './lock.ts';
import { lookAtLog } from './log-file.ts';
import type { Settled } from './options.ts';
import { nodeCoding, readIfThere } from './record-file.ts';
import { fileIn } from './recovery-journal.ts';

export type FolderState =
  /** It would be made by the start. */
  | { readonly is: 'new' }
  | { readonly is: 'usable' }
  | { readonly is: 'locked'; readonly by: string }
  /** It cannot be written, is damaged, or belongs to another member, cluster or release. */
  | { readonly is: 'unusable'; readonly reason: string };

export async function inspectFolder({
  data,
  cluster,
  id,
  election,
  definition,
}: Pick<Settled, 'cluster' | 'id' | 'election' | 'definition'> & {
  readonly data: string;
}): Promise<FolderState> {
  try {
    const place = existing(data);
    if (!statSync(place).isDirectory()) return { is: 'unusable', reason: `${place} is not a folder` };
    accessSync(place, constants.R_OK | constants.W_OK | constants.X_OK);
    if (place !== data) return { is: 'new' };
    const holder = await holderOf(data);
    if (holder !== null) return { is: 'locked', by: holder };
    const records = [
      { file: MEMBER_FILE, election: null, protocol: null },
      { file: electionFile(election), election, protocol: definition.name },
    ];
    for (const { file, ...of } of records) {
      const record = fileIn(data, file);
      const found = recover(readIfThere(record), { cluster, id, ...of }, nodeCoding);
      if (found.is === 'refused') return { is: 'unusable', reason: `${record}: ${found.reason}` };
    }
    const log = fileIn(data, LOG_FILE);
    const logged = lookAtLog(log, { cluster, id });
    if (logged.is === 'refused') return { is: 'unusable', reason: `${log}: ${logged.reason}` };
    return { is: 'usable' };
  } catch (error) {
    if (!(error instanceof CaucusError) && (error as NodeJS.ErrnoException).code === undefined) throw error;
    return { is: 'unusable', reason: (error as Error).message };
  }
}

/** The folder, or the nearest one around it that exists. */
function existing(folder: string): string {
  const parent = path.dirname(folder);
  return existsSync(folder) || parent === folder ? folder : existing(parent);
}
