import type { ServerResponse } from 'node:http';
import type { LeaseEvent, LeaseRegistry } from './lease-registry.ts';
import { badRequest, Refusal } from './status.ts';

/** The real one does so about once a minute. */
const BOOKMARK_MS = 1000;

/** Answers with events, one a line, until its time is over. */
export function serveWatch(
  registry: LeaseRegistry,
  namespace: string,
  query: URLSearchParams,
  response: ServerResponse,
): void {
  const name = nameIn(query.get('fieldSelector'));
  const isMeant = ({ object: { metadata } }: Pick<LeaseEvent, 'object'>): boolean =>
    metadata.namespace === namespace && (name === null || metadata.name === name);
  const version = query.get('resourceVersion') ?? '';
  if (!/^\d*$/.test(version))
    throw badRequest(`Invalid value: "${version}": resourceVersion is not a number`);
  const from = Number(version);
  if (from > registry.revision)
    throw new Refusal(504, 'Timeout', `Too large resource version: ${from}, current: ${registry.revision}`);

  const send = (type: string, object: object): void => {
    response.write(`${JSON.stringify({ type, object })}\n`);
  };
  response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
  response.flushHeaders();
  if (from === 0) {
    for (const object of registry.list(namespace)) if (isMeant({ object })) send('ADDED', object);
  } else {
    const missed = registry.since(from);
    if (missed === null) {
      send(
        'ERROR',
        new Refusal(410, 'Expired', `too old resource version: ${from} (${registry.revision})`).status,
      );
      response.end();
      return;
    }
    for (const event of missed) if (isMeant(event)) send(event.type, event.object);
  }
  const unwatch = registry.watch((event) => {
    if (isMeant(event)) send(event.type, event.object);
  });
  const bookmarks = setInterval(() => {
    if (query.get('allowWatchBookmarks') !== 'true') return;
    const metadata = { resourceVersion: String(registry.revision), creationTimestamp: null };
    send('BOOKMARK', { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', metadata, spec: {} });
  }, BOOKMARK_MS);
  const seconds = Number(query.get('timeoutSeconds') ?? 1800);
  const end = setTimeout(() => response.end(), seconds * 1000);
  response.on('close', () => {
    unwatch();
    clearInterval(bookmarks);
    clearTimeout(end);
  });
}

function nameIn(selector: string | null): string | null {
  if (selector === null || selector === '') return null;
  const name = /^metadata\.name==?([^,=]+)$/.exec(selector)?.[1];
  if (name === undefined) throw badRequest(`field label not supported: ${selector}`);
  return name;
}
