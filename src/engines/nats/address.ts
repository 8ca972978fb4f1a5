import { BadInput } from '../../core/index.ts';
import { isHost, shownAddress } from '../secrets.ts';

/** The servers of NATS, and our credentials. */
export interface Address {
  readonly isSecure: boolean;
  /** Each as `host:port`. */
  readonly servers: readonly string[];
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly token: string | undefined;
}

const PORT = 4222;
const FORM = 'nats://[user:password@ or token@]host[:port][,host[:port]…] (or tls://… for TLS)';

/** Reads an address. Throws BadInput, without the password or the token. */
export function parseAddress(url: string): Address {
  if (typeof url !== 'string') throw new BadInput('url', FORM, shownAddress(url));
  const refuse = (expected: string): never => {
    throw new BadInput('url', expected, shownAddress(url));
  };
  const at = url.lastIndexOf('@'); // A password may contain more of them.
  const scheme = /^(?:nats|tls):\/\//.exec(url)?.[0];
  if (scheme === undefined) return refuse(FORM);
  const rest = url.slice(at < 0 ? scheme.length : at + 1).replace(/\/$/, '');
  if (/[/?#]/.test(rest)) return refuse(`nothing after the hosts, as in ${FORM}`);
  const servers = rest.split(',').map((text) => {
    const parts = /^(\[.*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text);
    const host = parts?.[1] ?? '';
    const port = Number(parts?.[2] ?? PORT);
    return isHost(host) && port >= 1 && port <= 65535 ? `${host}:${port}` : refuse(FORM);
  });
  const isSecure = scheme === 'tls://';
  const noCredentials = { user: undefined, password: undefined, token: undefined };
  if (at < 0) return { isSecure, servers, ...noCredentials };
  const [first, ...others] = url.slice(scheme.length, at).split(':');
  if (!first || others.join(':') === '') {
    if (!first || others.length > 0)
      return refuse('a user and a password, or a token, before the @, as in nats://user:password@host');
  }
  try {
    const user = decodeURIComponent(first);
    if (others.length === 0) return { isSecure, servers, ...noCredentials, token: user };
    return { isSecure, servers, ...noCredentials, user, password: decodeURIComponent(others.join(':')) };
  } catch {
    return refuse(
      'a password or token in which % and two hexadecimal digits stand for a character (%25 for %)',
    );
  }
}
