import { BadInput } from '../../core/index.ts';
import { isHost, shownAddress } from '../secrets.ts';

/** The members that keep the leases, and our API token. */
export interface Address {
  readonly isSecure: boolean;
  readonly endpoints: readonly Endpoint[];
  readonly token: string | undefined;
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

const FORM = 'caucus://[token@]host:port[,host:port…] (or caucuss://… for TLS)';

/** Reads an address. Throws BadInput, without the token. */
export function parseAddress(url: string): Address {
  if (typeof url !== 'string') throw new BadInput('url', FORM, shownAddress(url));
  const refuse = (expected: string): never => {
    throw new BadInput('url', expected, shownAddress(url));
  };
  const scheme = /^caucuss?:\/\//.exec(url)?.[0];
  if (scheme === undefined) return refuse(FORM);
  const at = url.lastIndexOf('@');
  const rest = url.slice(at < 0 ? scheme.length : at + 1).replace(/\/$/, '');
  if (/[/?#]/.test(rest)) return refuse(`nothing after the hosts, as in ${FORM}`);
  const endpoints = rest.split(',').map((text): Endpoint => {
    const parts = /^(\[.*\]|[^:]*):(\d{1,5})$/.exec(text);
    const host = parts?.[1] ?? '';
    const port = Number(parts?.[2] ?? 0);
    if (!isHost(host) || port < 1 || port > 65535) return refuse(FORM);
    return { host: host.replace(/^\[|\]$/g, ''), port };
  });
  const where = { isSecure: scheme === 'caucuss://', endpoints };
  if (at < 0) return { ...where, token: undefined };
  try {
    const token = decodeURIComponent(url.slice(scheme.length, at));
    return token === '' ? refuse(`a token before the @, as in ${FORM}`) : { ...where, token };
  } catch (error) {
    if (error instanceof BadInput) throw error;
    return refuse('a token in which % and two hexadecimal digits stand for a character (%25 for %)');
  }
}

/** For people. */
export function nameOf({ host, port }: Endpoint): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
