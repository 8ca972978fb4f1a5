import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/**
 * A default name for a participant. It ends in random digits, since two copies of a program on one host need
 * different names.
 */
export function inventName(): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9.-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 50);
  return `${host === '' ? 'member' : host}-${randomBytes(4).toString('hex')}`;
}
