import { BadInput, type Shape, show } from '../core/index.ts';

/**
 * The URL of a voter, without a trailing slash. Paths are appended to it, so it must contain nothing that would
 * change their meaning: after a `?` they would be a query, before an `@` a password.
 */
export const voterUrl: Shape<string> = {
  expected: 'a URL like http://127.0.0.1:7101, without a user, ? and #',
  schema: { type: 'string', maxLength: 1000 },
  read(value, path) {
    if (typeof value === 'string' && value.length <= 1000 && !/[?#@\\]/.test(value) && URL.canParse(value)) {
      const { protocol, href } = new URL(value);
      if (protocol === 'http:' || protocol === 'https:') return withoutSlash(href);
    }
    throw new BadInput(path, this.expected, showUrl(value));
  },
};

/** For errors, which end up in logs: what stands before an `@` may be a password. */
export function showUrl(value: unknown): string {
  return show(typeof value === 'string' ? value.replace(/\/\/[^/]*@/, '//***@') : value);
}

/** Not by a pattern: a pattern for trailing slashes takes quadratic time. */
function withoutSlash(href: string): string {
  let end = href.length;
  while (href[end - 1] === '/') end--;
  return href.slice(0, end);
}

/** Names are not resolved: a name that resolves to this machine now may resolve to another one later. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  return bare === 'localhost' || bare === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(bare);
}

export function hostOf(url: string): string {
  return new URL(url).hostname;
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** The address to listen on for this URL, if nothing is in between. */
export function addressOf(url: string): { readonly host: string; readonly port: number } {
  const { hostname, port, protocol } = new URL(url);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? DEFAULT_PORTS[protocol]! : Number(port),
  };
}

/** A URL from an address and a port; an IPv6 address stands in brackets. */
export function urlOf(host: string, port: number, scheme: 'http' | 'https' = 'http'): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A URL without a host: it makes a whole one with each address of a seed (seed 002). */
export interface RelativeUrl {
  readonly port: number | null;
  /** Without a trailing slash. */
  readonly path: string;
}

/** Reads `:7100`, `/voter`, `:7100/voter` or `/`; null for any other text. */
export function readRelativeUrl(text: string): RelativeUrl | null {
  const found = /^(?::(\d{1,5}))?(\/[^\s?#@\\]*)?$/.exec(text);
  if (found === null || text === '' || text.length > 1000) return null;
  const port = found[1] === undefined ? null : Number(found[1]);
  if (port !== null && (port < 1 || port > 65_535)) return null;
  const { href, origin } = new URL((found[2] ?? '/').replace(/^\/+/, '/'), 'http://host');
  return { port, path: withoutSlash(href).slice(origin.length) };
}
