/** The part of an API server that keeps EndpointSlices: GET, POST and PUT, each version once. It checks nothing else. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EndpointSlice } from '../../../src/adapters/kubernetes/index.ts';

export interface EndpointSlices {
  readonly url: string;
  stored: EndpointSlice | null;
  /** Called before each write is looked at. */
  beforeWrite: () => Promise<void>;
  close(): void;
}

export async function startEndpointSlices(): Promise<EndpointSlices> {
  let version = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const answer = (status: number, body: unknown): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const refuse = (code: number): void => answer(code, { kind: 'Status', status: 'Failure', code });
    if (request.method === 'GET') return slices.stored === null ? refuse(404) : answer(200, slices.stored);
    await slices.beforeWrite();
    const body = JSON.parse(Buffer.concat(chunks).toString()) as EndpointSlice;
    if (request.method === 'POST' && slices.stored !== null) return refuse(409);
    if (request.method === 'PUT' && slices.stored === null) return refuse(404);
    if (
      request.method === 'PUT' &&
      body.metadata?.resourceVersion !== slices.stored!.metadata!.resourceVersion
    )
      return refuse(409);
    slices.stored = { ...body, metadata: { ...body.metadata, resourceVersion: String(++version) } };
    answer(request.method === 'POST' ? 201 : 200, slices.stored);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const slices: EndpointSlices = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stored: null,
    beforeWrite: async () => {},
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return slices;
}
