import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostOf, isLoopback } from '../urls.ts';
import { HttpError } from './http-error.ts';

/**
 * A browser sends requests for any page that it shows, also to this machine. Those of pages that are not our own change nothing.
 * That a page has the name under which it calls us is not enough: whoever owns a name can let it lead here.
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
