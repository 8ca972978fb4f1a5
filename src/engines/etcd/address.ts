import { BadInput, show } from '../../core/index.ts';

/** Where etcd is, and who we are there. */
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
  if (typeof url !== 'string') throw new BadInput('url', FORM, show(url));
  // A password may hold any character, so everything before the last @ is kept from being shown.
  const at = url.lastIndexOf('@');
  const refuse = (expected: string): never => {
    throw new BadInput(
      'url',
      expected,
      show(at < 0 ? url : `${/^[a-z]*:\/\//.exec(url)?.[0] ?? ''}***${url.slice(at)}`),
    );
  };
  const scheme = /^etcds?:\/\//.exec(url)?.[0];
  if (scheme === undefined) return refuse(FORM);
  const rest = url.slice(at < 0 ? scheme.length : at + 1).replace(/\/$/, '');
  if (/[/?#]/.test(rest)) return refuse(`nothing after the hosts, as in ${FORM}`);
  const endpoints = rest.split(',').map((text): Endpoint => {
    const parts = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]+))(?::(\d{1,5}))?$/.exec(text);
    const host = parts?.[1] ?? parts?.[2];
    const port = Number(parts?.[3] ?? PORT);
    return host !== undefined && port >= 1 && port <= 65535 ? { host, port } : refuse(FORM);
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
