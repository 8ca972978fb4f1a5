import { assert } from './assert.ts';
import { mix, textHash } from './text-hash.ts';

/**
 * A hash of plain data: what `isSame` calls the same has the same hash, whatever the order of the fields. Values that JSON would
 * drop or change (undefined, NaN) are refused, as `canonicalText` does.
 */
export function plainHash(value: unknown): number {
  if (typeof value === 'number') return numberHash(value);
  if (typeof value === 'string') return textHash(value);
  if (typeof value === 'boolean') return value ? 0x51ed270b : 0x2545f491;
  if (value === null) return 0x7f4a7c15;
  if (typeof value !== 'object') assert(false, `${String(value)} is not plain data`);
  if (Array.isArray(value)) {
    let hash = 0x54 + value.length;
    for (let i = 0; i < value.length; i++) hash = (Math.imul(hash, 0x01000193) + plainHash(value[i])) | 0;
    return mix(hash);
  }
  let sum = 0x55; // A sum does not depend on the order, so that no keys have to be sorted.
  for (const key in value)
    sum =
      (sum + mix(textHash(key) ^ Math.imul(plainHash((value as Record<string, unknown>)[key]), 0x85ebca6b))) |
      0;
  return mix(sum);
}

function numberHash(value: number): number {
  if (value === (value | 0)) return mix(value ^ 0x3c6ef372);
  if (!Number.isFinite(value)) assert(false, `${String(value)} is not plain data`);
  FLOAT[0] = value;
  return mix(HALVES[0]! ^ Math.imul(HALVES[1]!, 0x9e3779b1));
}

const FLOAT = new Float64Array(1);
const HALVES = new Int32Array(FLOAT.buffer);
