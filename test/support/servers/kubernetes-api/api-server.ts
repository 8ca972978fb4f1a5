/**
 * The part of a Kubernetes API server that elections need, as a process of its own: `api-server.ts OPTIONS`. It is as strict as the
 * real one about versions, times, fields, content types, tokens and rights.
 */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import { LeaseRegistry } from './lease-registry.ts';
import { decodeLease } from './lease-rules.ts';
import { badRequest, Refusal } from './status.ts';
import { serveWatch } from './watch-stream.ts';

export interface User {
  readonly name: string;
  readonly verbs: readonly string[];
}

export interface ApiServerOptions {
  readonly port: number;
  readonly dataFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  /** By their token. */
  readonly users: Readonly<Record<string, User>>;
  readonly namespaces: readonly string[];
  /** Exists too, but nobody has any right in it. */
  readonly closedNamespace: string;
}

const options = JSON.parse(process.argv[2]!) as ApiServerOptions;
const registry = new LeaseRegistry(options.dataFile);
const PATH = /^\/apis\/coordination\.k8s\.io\/v1\/namespaces\/([^/]+)\/leases(?:\/([^/]+))?$/;
const MOST_BODY_BYTES = 3 * 1024 * 1024;

const tls = { cert: readFileSync(options.certFile), key: readFileSync(options.keyFile) };
const server = https.createServer(tls, (request, response) => {
  serve(request, response).catch((error: unknown) => {
    const { status } = error instanceof Refusal ? error : new Refusal(500, 'InternalError', String(error));
    answer(response, status.code, status);
  });
});
server.listen(options.port, '127.0.0.1');

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url!, 'https://server');
  if (url.pathname === '/readyz') return answer(response, 200, { ready: true });
  const user = authenticate(request);
  const [, namespace, encoded] = PATH.exec(url.pathname) ?? [];
  if (namespace === undefined)
    throw new Refusal(404, 'NotFound', 'the server could not find the requested resource');
  const name = encoded === undefined ? null : decodeURIComponent(encoded);
  const isWatch = ['1', 'true'].includes(url.searchParams.get('watch') ?? '');
  const verb = verbOf(request.method!, name !== null, isWatch);
  authorize(user, verb, namespace, name);
  const accepts = request.headers.accept ?? '*/*';
  if (!/application\/json|\*\/\*/.test(accepts))
    throw new Refusal(406, 'NotAcceptable', 'only the following media types are accepted: application/json');
  if (verb === 'watch') return serveWatch(registry, namespace, url.searchParams, response);
  if (verb === 'get') return answer(response, 200, registry.get(namespace, name!));
  if (verb === 'list') {
    const metadata = { resourceVersion: String(registry.revision) };
    return answer(response, 200, { kind: 'LeaseList', metadata, items: registry.list(namespace) });
  }
  if (verb === 'delete') {
    registry.delete(namespace, name!);
    return answer(response, 200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' });
  }
  const lease = decodeLease(await bodyOf(request));
  const { metadata } = lease;
  if (metadata.namespace !== undefined && metadata.namespace !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  if (verb === 'create') {
    if (!options.namespaces.includes(namespace))
      throw new Refusal(404, 'NotFound', `namespaces "${namespace}" not found`, { kind: 'namespaces' });
    return answer(response, 201, registry.create(namespace, lease));
  }
  if (metadata.name !== name)
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    );
  const isNew = !registry.list(namespace).some((each) => each.metadata.name === name);
  const updated = registry.update(namespace, lease);
  answer(response, isNew ? 201 : 200, updated);
}

function authenticate({ headers }: IncomingMessage): User {
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  const user = Object.hasOwn(options.users, token) ? options.users[token] : undefined;
  if (user === undefined) throw new Refusal(401, 'Unauthorized', 'Unauthorized');
  return user;
}

function verbOf(method: string, isOne: boolean, isWatch: boolean): string {
  if (method === 'GET') return isWatch ? 'watch' : isOne ? 'get' : 'list';
  if (method === 'POST' && !isOne) return 'create';
  if (method === 'PUT' && isOne) return 'update';
  if (method === 'DELETE' && isOne) return 'delete';
  throw new Refusal(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
  );
}

function authorize(user: User, verb: string, namespace: string, name: string | null): void {
  if (user.verbs.includes(verb) && namespace !== options.closedNamespace) return;
  const what = name === null ? 'leases.coordination.k8s.io' : `leases.coordination.k8s.io "${name}"`;
  const who = `User "${user.name}" cannot ${verb} resource "leases" in API group "coordination.k8s.io"`;
  throw new Refusal(403, 'Forbidden', `${what} is forbidden: ${who} in the namespace "${namespace}"`);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\b/.test(type)) {
    const message = `the body of the request was in an unknown format - accepted media types include: application/json`;
    throw new Refusal(415, 'UnsupportedMediaType', message);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > MOST_BODY_BYTES)
      throw new Refusal(413, 'RequestEntityTooLarge', 'Request entity too large: limit is 3145728');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function answer(response: ServerResponse, code: number, body: object): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
