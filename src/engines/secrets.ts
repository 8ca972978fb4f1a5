import { show } from '../core/values.ts';

/** Removes secrets from a text that goes to a log or into an error. */
export function withoutSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  let shown = text;
  for (const secret of secrets) {
    if (secret === undefined || secret === '') continue;
    for (const form of [secret, encodeURIComponent(secret)]) shown = shown.replaceAll(form, '***');
  }
  return shown;
}

/** What may follow the hosts of an address; only a slash for other schemes. */
const PATHS: Readonly<Record<string, RegExp>> = {
  redis: /^\/\d*$/,
  rediss: /^\/\d*$/,
  postgres: /^\/[\w.-]*$/,
  postgresql: /^\/[\w.-]*$/,
};
/** Addresses without a host. */
const HOSTLESS: Readonly<Record<string, RegExp>> = {
  kubernetes: /^[a-z0-9-]{0,63}\/?$/,
  local: /^[^@?#]*$/,
};

/**
 * An address for people, without secrets. In an address that was refused it may be unclear which part is the
 * password: `redis://user:secret` lacks its end, and in `etcd://host?password=secret` it is where none belongs. So
 * only parts that have the form of hosts, of a database or of a namespace are shown.
 */
export function shownUrl(url: string): string {
  const [, scheme = '', slashes = '', rest = url] = /^([a-z][a-z0-9+.-]*):(\/\/)?(.*)$/is.exec(url) ?? [];
  const head = scheme === '' ? '' : `${scheme}:${slashes}`; // Without the slashes, it may be a user: no secret.
  if (slashes === '' && HOSTLESS[scheme]?.test(rest)) return `${head}${rest}`;
  const at = rest.lastIndexOf('@');
  const hidden = at < 0 ? '' : '***@';
  const [, hosts = '', path = '', more = ''] = /^([^/?#]*)([^?#]*)(.*)$/s.exec(rest.slice(at + 1))!;
  const isPlain = (at >= 0 || slashes !== '') && hosts.split(',').every(isHostAndPort);
  if (!isPlain) return `${head}${rest === '' ? '' : '***'}`;
  const isPathPlain = path === '' || path === '/' || PATHS[scheme]?.test(path);
  return `${head}${hidden}${hosts}${isPathPlain ? path : '/***'}${more === '' ? '' : `${more[0]}***`}`;
}

/** The value given as an address, at the end of an error line. An object may hold a password in any of its fields. */
export function shownAddress(given: unknown): string {
  return typeof given === 'string' ? show(shownUrl(given)) : kindOf(given);
}

/** The kind of a value that may be secret, without showing it. */
export function kindOf(given: unknown): string {
  if (given === null || typeof given === 'number' || typeof given === 'undefined') return show(given);
  if (typeof given === 'string') return 'a text';
  return typeof given === 'object' ? 'an object' : `a ${typeof given}`;
}

/** A host name or an IP address. A misplaced password rarely looks like one. */
export function isHost(text: string): boolean {
  if (/^\[[0-9a-fA-F:.]+\]$/.test(text)) return true;
  if (text.length > 253) return false;
  return text
    .split('.')
    .every((label) => /^[\p{L}\p{N}_](?:[-\p{L}\p{N}_]{0,61}[\p{L}\p{N}_])?$/u.test(label));
}

function isHostAndPort(text: string): boolean {
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(text) ?? [];
  return isHost(host) && (port === undefined || /^\d{1,5}$/.test(port));
}
