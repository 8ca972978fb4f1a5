import { createHash, randomBytes } from 'node:crypto';

/**
 * A name that no other process ever draws. A clone of a virtual machine has the same random generator in the same
 * state and would draw the same number, so the current nanosecond is part of the name.
 */
export function drawName(): string {
  const moment = String(process.hrtime.bigint());
  return createHash('sha256').update(randomBytes(32)).update(moment).digest('hex').slice(0, 32);
}

/** 64 random bits, in the form that protocols expect. */
export function draw64(): string {
  return randomBytes(8).readBigUInt64BE().toString();
}
