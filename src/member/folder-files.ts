/** The names of the files in a data folder. */
import { readdirSync } from 'node:fs';

export const MEMBER_FILE = 'member.json';
/** The elections that the disk has taken part in. */
export const LIST_FILE = 'elections';
/** The records of all elections but the main one. */
export const LOG_FILE = 'records.log';

/** That of the main election. Earlier releases had such a file for every election. */
export function electionFile(election: string): string {
  return `election-${election}.json`;
}

export function historyFile(election: string): string {
  return `history-${election}.ndjson`;
}

/** The elections that have a record in a file of their own. */
export function filedIn(folder: string): string[] {
  return readdirSync(folder).flatMap((file) => /^election-(.+)\.json$/.exec(file)?.[1] ?? []);
}
