import { BadInput } from '../../core/index.ts';
import { isHost, shownAddress } from '../secrets.ts';

/** The servers of Redis, and our credentials. */
export interface Address {
  readonly isSecure: boolean;
  /** More than one: independent masters. */
  readonly endpoints: readonly Endpoint[];
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** For people. */
export function nameOf({ host, port }: Endpoint): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

const PORT = 6379;
const FORM = 'redis://[user:password@]host[:port][,host[:port]…][/database] (or rediss://… for TLS)';

/** Reads an address. Throws BadInput, without the password. */
export function parseAddress(url: string): Address {
  if (typeof url !== 'string') throw new BadInput('url', FORM, shownAddress(url));
  const refuse = (expected: string): never => {
    throw new BadInput('url', expected, shownAddress(url));
  };
  const at = url.lastIndexOf('@'); // A password may contain more of them.
  const scheme = /^rediss?:\/\//.exec(url)?.[0];
  if (scheme === undefined) return refuse(FORM);
  const rest = url.slice(at < 0 ? scheme.length : at + 1);
  const [hosts = '', databaseText = '', ...others] = rest.split('/');
  if (others.length > 0 || !/^\d{0,9}$/.test(databaseText))
    return refuse(`the number of a database and nothing more after the hosts, as in ${FORM}`);
  const endpoints = hosts.split(',').map((text): Endpoint => {
    const parts = /^(\[.*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text);
    const host = parts?.[1] ?? '';
    const port = Number(parts?.[2] ?? PORT);
    if (!isHost(host) || port < 1 || port > 65535) return refuse(FORM);
    return { host: host.replace(/^\[|\]$/g, ''), port };
  });
  const distinct = new Set(endpoints.map(({ host, port }) => `${host.toLowerCase()}:${port}`));
  if (distinct.size < endpoints.length)
    return refuse('every master once: one that is named twice would count twice towards a majority');
  const where = { isSecure: scheme === 'rediss://', endpoints, database: Number(databaseText) };
  if (at < 0) return { ...where, user: undefined, password: undefined };
  const [user = '', ...secret] = url.slice(scheme.length, at).split(':');
  const password = secret.join(':');
  if (password === '')
    return refuse('a password before the @, as in redis://user:password@host or redis://:password@host');
  try {
    const decoded = decodeURIComponent(user);
    return {
      ...where,
      user: decoded === '' ? undefined : decoded,
      password: decodeURIComponent(password),
    };
  } catch {
    return refuse(
      'a user and a password in which % and two hexadecimal digits stand for a character (%25 for %)',
    );
  }
}
