import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { HttpError } from './http-error.ts';
import { hostOf, isLoopback } from './urls.ts';

/**
 * A browser sends requests for any page that it shows, also to this machine. Those of pages that are not our own change nothing.
 * That a page has the name under which it calls us is not enough: the owner of a name can let it lead here.
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
 * A page whose own name was made to lead to this machine may read what it calls under that name: to the browser it is one and the
 * same. So a member that only this machine can reach answers questions only under names that are known to lead here. Who sends
 * no name is no browser.
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
