/**
 * Which records a log holds, given the bytes found at a start; or why to refuse them.
 *
 * The rules are those of a record's file (recovery.ts). Every sector of the file is sealed when the file is made, also
 * those that no batch has reached. So a batch that was cut short consists of sealed sectors, some of them still empty:
 * it was never reported as durable, and is dropped. A sector that changed later, or a file that became shorter, is
 * damage, and the disk is refused. A batch is begun only after the one before it is durable, so a whole batch behind
 * one that is not whole shows that the disk has lost a write.
 */
import type { Coding } from './coding.ts';
import {
  type Batch,
  decodeBatch,
  LOG_FORMAT,
  type LoggedRecord,
  type LogOwner,
  logFormatOf,
} from './log-batch.ts';
import { type Refusal, refuseDamage, refuseForeignTo, refuseVersion } from './recovery.ts';
import { isZero, PAGE, ROOM_IN_PAGE, unseal } from './sectors.ts';

export interface FoundLog {
  readonly is: 'log';
  /** By election. */
  readonly records: ReadonlyMap<string, LoggedRecord>;
  /** The number of the last batch, and its pages: the first one, and the one behind it. */
  readonly batch: number;
  readonly last: readonly [from: number, to: number];
  readonly size: number;
  /** The page behind the last batch. Null: something stands there, so the next batch makes the file anew. */
  readonly free: number | null;
}

export type LogRecovery = { readonly is: 'empty' } | FoundLog | Refusal;

export function recoverLog(bytes: Uint8Array | null, owner: LogOwner, coding: Coding): LogRecovery {
  if (bytes === null) return { is: 'empty' };
  const format = logFormatOf(bytes);
  if (format !== null && format !== LOG_FORMAT) return refuseVersion(format, [LOG_FORMAT]);
  if (bytes.length === 0 || bytes.length % PAGE !== 0) return refuseDamage(`it has ${bytes.length} bytes`);
  const content = unseal(bytes, 0);
  if (typeof content === 'number') return refuseDamage(`sector ${content} was changed since it was written`);
  const first = decodeBatch(content, 0, coding);
  // It was durable before the file had its name.
  if (first === null) return refuseDamage('its first batch is not whole');
  const foreign = refuseForeignTo(first.owner, { ...owner }, ['cluster', 'id']);
  if (foreign !== null) return foreign;
  if (first.size !== bytes.length)
    return refuseDamage(`it has ${bytes.length} bytes in place of ${first.size}`);
  return readBatches(content, first, coding);
}

function readBatches(content: Uint8Array, first: Batch, coding: Coding): LogRecovery {
  const records = new Map<string, LoggedRecord>();
  const filePages = content.length / ROOM_IN_PAGE;
  let last = first;
  let [from, page] = [0, 0];
  for (let next: Batch | null = first; next !== null; next = follower(content, page, last, coding)) {
    for (const { election, saved } of next.entries) {
      if (saved === null) records.delete(election);
      else records.set(election, saved);
    }
    last = next;
    from = page;
    page += next.pages;
  }
  for (let at = page; at < filePages; at++) {
    if (decodeBatch(content, at, coding) !== null)
      return refuseDamage('a batch that stood before its last one was lost');
  }
  const isClean = isZero(content.subarray(page * ROOM_IN_PAGE));
  const { batch, size } = last;
  return { is: 'log', records, batch, last: [from, page], size, free: isClean ? page : null };
}

/** The batch at this page, if it is the one that follows. */
function follower(content: Uint8Array, page: number, last: Batch, coding: Coding): Batch | null {
  const next = decodeBatch(content, page, coding);
  return next !== null && next.batch === last.batch + 1 && next.size === last.size ? next : null;
}
