/** The names of the files in a data folder. */
import { readdirSync } from 'node:fs';

export const MEMBER_FILE = 'member.json';
/** The elections that the disk has taken part in. */
export const LIST_FILE = 'elections';

export function electionFile(election: string): string {
  return `election-${election}.json`;
}

export function historyFile(election: string): string {
  return `history-${election}.ndjson`;
}

/** The elections that have a record in the folder. */
export function recordedIn(folder: string): string[] {
  return readdirSync(folder).flatMap((file) => /^election-(.+)\.json$/.exec(file)?.[1] ?? []);
}
