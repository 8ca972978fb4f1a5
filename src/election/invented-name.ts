import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/** A name for whoever was given none. Two copies of a program on one host must not share one. */
export function inventName(): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9.-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 50);
  return `${host === '' ? 'member' : host}-${randomBytes(4).toString('hex')}`;
}
