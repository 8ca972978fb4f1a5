import { BadInput, show } from '../../core/index.ts';

/** Where NATS is, and who we are there. */
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
  if (typeof url !== 'string') throw new BadInput('url', FORM, show(url));
  // A password may hold any character, so everything before the last @ is kept from being shown.
  const at = url.lastIndexOf('@');
  const refuse = (expected: string): never => {
    const shown = at < 0 ? url : `${/^[a-z]*:\/\//.exec(url)?.[0] ?? ''}***${url.slice(at)}`;
    throw new BadInput('url', expected, show(shown));
  };
  const scheme = /^(?:nats|tls):\/\//.exec(url)?.[0];
  if (scheme === undefined) return refuse(FORM);
  const rest = url.slice(at < 0 ? scheme.length : at + 1).replace(/\/$/, '');
  if (/[/?#]/.test(rest)) return refuse(`nothing after the hosts, as in ${FORM}`);
  const servers = rest.split(',').map((text) => {
    const parts = /^(\[[0-9a-fA-F:.]+\]|[^\s:[\]]+)(?::(\d{1,5}))?$/.exec(text);
    const port = Number(parts?.[2] ?? PORT);
    return parts !== null && port >= 1 && port <= 65535 ? `${parts[1]}:${port}` : refuse(FORM);
  });
  const isSecure = scheme === 'tls://';
  const nobody = { user: undefined, password: undefined, token: undefined };
  if (at < 0) return { isSecure, servers, ...nobody };
  const [first, ...others] = url.slice(scheme.length, at).split(':');
  if (!first || others.join(':') === '') {
    if (!first || others.length > 0)
      return refuse('a user and a password, or a token, before the @, as in nats://user:password@host');
  }
  try {
    const user = decodeURIComponent(first);
    if (others.length === 0) return { isSecure, servers, ...nobody, token: user };
    return { isSecure, servers, ...nobody, user, password: decodeURIComponent(others.join(':')) };
  } catch {
    return refuse(
      'a password or token in which % and two hexadecimal digits stand for a character (%25 for %)',
    );
  }
}
