import { HttpError } from './http-error.ts';

/** What the first line of a request asks for. */
export interface Target {
  /** Without `/elections/NAME`, if it began so. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The election that the path names, or null. */
  readonly name: string | null;
}

export function readTarget(text: string): Target {
  const at = text.indexOf('?');
  const path = at < 0 ? text : text.slice(0, at);
  const query = new URLSearchParams(at < 0 ? '' : text.slice(at + 1));
  const named = /^\/elections\/([^/]+)(\/.*)?$/.exec(path);
  if (named === null) return { path, query, name: null };
  return { path: named[2] ?? '/status', query, name: decode(named[1]!) };
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    const message = 'the path: expected the name of an election, found broken escapes';
    throw new HttpError(400, 'E_BAD_INPUT', message);
  }
}
