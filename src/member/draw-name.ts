import { createHash, randomBytes } from 'node:crypto';

/**
 * A name that no other process ever draws. A clone of a virtual machine has this process's random generator too, in the same
 * state, and would draw the same; what parts the two is the nanosecond in which each of them draws.
 */
export function drawName(): string {
  const moment = String(process.hrtime.bigint());
  return createHash('sha256').update(randomBytes(32)).update(moment).digest('hex').slice(0, 32);
}

/** 64 random bits, as protocols draw them. */
export function draw64(): string {
  return randomBytes(8).readBigUInt64BE().toString();
}
