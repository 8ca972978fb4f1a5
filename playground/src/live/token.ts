/**
 * The token of the visitor. It is kept in memory only: no cookie, no storage, no address holds it, and it is gone when
 * the tab is closed or loaded again.
 */
let held: string | null = null;
const listeners = new Set<() => void>();

export function hasToken(): boolean {
  return held !== null;
}

export function holdToken(token: string | null): void {
  held = token;
  for (const listener of [...listeners]) listener();
}

/** Calls back after every change. Returns a function that stops it. */
export function onToken(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The header that carries it, if there is one. */
export function authorization(): Record<string, string> {
  return held === null ? {} : { authorization: `Bearer ${held}` };
}

/**
 * `caucus up --chaos` prints an address that ends with `#token=…`. A browser sends that part to no server; here it
 * leaves the address bar and the history of the browser too.
 */
export function takeFromAddress(): boolean {
  const found = /^#token=([A-Za-z0-9._~+/=-]+)$/.exec(location.hash)?.[1];
  if (found === undefined) return false;
  history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  holdToken(found);
  return true;
}
