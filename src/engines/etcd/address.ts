import { BadInput } from '../../core/index.ts';
import { isHost, shownAddress } from '../secrets.ts';

/** The endpoints of etcd, and our credentials. */
export interface Address {
  readonly isSecure: boolean;
  readonly endpoints: readonly Endpoint[];
  readonly user: string | undefined;
  readonly password: string | undefined;
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

const PORT = 2379;
const FORM = 'etcd://[user:password@]host[:port][,host[:port]…] (or etcds://… for TLS)';

/** Reads an address. Throws BadInput, without the password. */
export function parseAddress(url: string): Address {
  if (typeof url !== 'string') throw new BadInput('url', FORM, shownAddress(url));
  const refuse = (expected: string): never => {
    throw new BadInput('url', expected, shownAddress(url));
  };
  const at = url.lastIndexOf('@'); // A password may contain more of them.
  const scheme = /^etcds?:\/\//.exec(url)?.[0];
  if (scheme === undefined) return refuse(FORM);
  const rest = url.slice(at < 0 ? scheme.length : at + 1).replace(/\/$/, '');
  if (/[/?#]/.test(rest)) return refuse(`nothing after the hosts, as in ${FORM}`);
  const endpoints = rest.split(',').map((text): Endpoint => {
    const parts = /^(\[.*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text);
    const host = parts?.[1] ?? '';
    const port = Number(parts?.[2] ?? PORT);
    if (!isHost(host) || port < 1 || port > 65535) return refuse(FORM);
    return { host: host.replace(/^\[|\]$/g, ''), port };
  });
  const isSecure = scheme === 'etcds://';
  if (at < 0) return { isSecure, endpoints, user: undefined, password: undefined };
  const [user, ...others] = url.slice(scheme.length, at).split(':');
  const password = others.join(':');
  if (!user || password === '')
    return refuse('a user and a password before the @, as in etcd://user:password@host');
  try {
    return { isSecure, endpoints, user: decodeURIComponent(user), password: decodeURIComponent(password) };
  } catch {
    return refuse(
      'a user and a password in which % and two hexadecimal digits stand for a character (%25 for %)',
    );
  }
}
