import { HttpError } from './http-error.ts';

/** The target of a request line. */
export interface Target {
  /** Without `/elections/NAME`, if it began with that. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The election that the path names, or null. */
  readonly name: string | null;
}

/**
 * `mount` is the path of the member's own URL. Some servers (Express) remove it before they call a handler, others do
 * not.
 */
export function readTarget(text: string, mount = ''): Target {
  const at = text.indexOf('?');
  const path = withoutMount(at < 0 ? text : text.slice(0, at), mount);
  const query = new URLSearchParams(at < 0 ? '' : text.slice(at + 1));
  const named = /^\/elections\/([^/]+)(\/.*)?$/.exec(path);
  if (named === null) return { path, query, name: null };
  return { path: named[2] ?? '/status', query, name: decode(named[1]!) };
}

/** What follows the URL of the member in the target of a request, with the query. */
export function pathBelow(text: string, url: string): string {
  const at = text.indexOf('?');
  const query = at < 0 ? '' : text.slice(at);
  return withoutMount(at < 0 ? text : text.slice(0, at), mountOf(url)) + query;
}

function withoutMount(path: string, mount: string): string {
  if (mount === '' || !path.startsWith(mount)) return path;
  const rest = path.slice(mount.length);
  return rest === '' ? '/' : rest.startsWith('/') ? rest : path;
}

/** The path of a URL, without a trailing slash. */
export function mountOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname.replace(/\/+$/, '') : '';
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    const message = 'the path: expected the name of an election, found broken escapes';
    throw new HttpError(400, 'E_BAD_INPUT', message);
  }
}
