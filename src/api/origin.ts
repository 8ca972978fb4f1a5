import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { HttpError } from './http-error.ts';
import { hostOf, isLoopback } from './urls.ts';

/**
 * A browser sends requests for any page that it shows, also to this machine. Requests of foreign pages must not
 * change anything. It is not enough that a page calls us under its own host name: the owner of a name can make it
 * resolve to this machine.
 */
export function refuseForeignPages({ headers }: IncomingMessage, memberUrl: string): void {
  const { origin, host } = headers;
  if (origin === undefined) return;
  if (URL.canParse(origin)) {
    const page = new URL(origin);
    const bare = page.hostname.replace(/^\[|\]$/g, '');
    const isOurs = isLoopback(bare) || isIP(bare) !== 0 || page.hostname === hostOf(memberUrl);
    if (isOurs && page.host === host) return;
  }
  throw new HttpError(403, 'E_ORIGIN', `a page of ${origin} may not change anything here`);
}

/**
 * A page whose own host name was made to resolve to this machine (DNS rebinding) may read the answers under that
 * name: the browser sees the same origin. So a member that only this machine can reach answers only under host names
 * that are known to be its own. A client that sends no host name is no browser.
 */
export function refuseForeignNames({ headers: { host } }: IncomingMessage, known: readonly string[]): void {
  if (leadsHere(host, known)) return;
  throw new HttpError(403, 'E_HOST', `${host} is no name of this member; the option hosts can add it`);
}

export function leadsHere(host: string | undefined, known: readonly string[]): boolean {
  if (host === undefined || host === '') return true;
  const name = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host;
  const bare = name.replace(/^\[|\]$/g, '');
  return isLoopback(bare) || isIP(bare) !== 0 || name.endsWith('.localhost') || known.includes(name);
}
