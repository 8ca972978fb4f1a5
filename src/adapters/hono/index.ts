/**
 * caucus/hono: a member on the server of a service with Hono, its health, and handlers for the leader alone. `mountMember` needs
 * `@hono/node-server`, the rest runs wherever Hono does.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import { BadInput, show } from '../../core/index.ts';
import type { Election } from '../../election/index.ts';
import {
  attachUpgrades,
  decide,
  FORWARDED,
  healthOf,
  type LeaderOnlyOptions,
  type MountedMember,
  type MountOptions,
  pathOf,
  REFUSED,
  readOnly,
  routingOf,
} from '../http/index.ts';

export type { LeaderOnlyOptions, MountedMember, MountOptions };

/** What is used of a context of Hono. */
export interface HonoContext {
  readonly req: { readonly raw: Request; readonly path: string };
  readonly env: unknown;
}

/** What is used of an application of Hono. */
export interface HonoApp {
  all(path: string, handler: (context: never) => Response): unknown;
}

/** A middleware of Hono. */
export type Middleware = (context: HonoContext, next: () => Promise<void>) => Promise<Response | undefined>;

/**
 * Mounts a member at the path of its URL. Call `attach(server, member)` with what `serve` of `@hono/node-server` returns,
 * so that the other members can connect.
 */
export function mountMember(app: HonoApp, member: MountedMember, options: MountOptions = {}): void {
  const path = pathOf(member);
  const handle = ({ env }: HonoContext): Response => {
    const { incoming, outgoing } = (env ?? {}) as { incoming?: IncomingMessage; outgoing?: ServerResponse };
    if (incoming === undefined || outgoing === undefined)
      throw new BadInput('env', 'that of @hono/node-server', show(env));
    if (!readOnly(incoming, outgoing, options)) member.handler(incoming, outgoing);
    // How @hono/node-server is told that the answer is not its own to send. It puts a class of its own in the place of
    // `Response`, whose objects it sends without a look at their headers; a clone is one of Node.js.
    return new Response(null, { headers: { 'x-hono-already-sent': 'true' } }).clone();
  };
  for (const each of [path, `${path}/*`]) app.all(each, handle);
}

/** Lets the other members connect through the server. */
export function attach(server: object, member: MountedMember): void {
  attachUpgrades(server as Server | SecureServer, member);
}

/** A middleware before handlers that only the leader may run. */
export function leaderOnly(election: Election, options?: LeaderOnlyOptions): Middleware {
  const routing = routingOf(election, options);
  return async ({ req: { raw: request } }, next) => {
    const { pathname, search } = new URL(request.url);
    const decision = decide(routing, `${pathname}${search}`, request.headers.has(FORWARDED));
    if (decision.do === 'handle') {
      await next();
      return undefined;
    }
    if (decision.do === 'forward') return forwarded(request, decision.url, election.self);
    if (decision.do === 'redirect')
      return new Response(null, { status: 307, headers: { location: decision.url.href } });
    return new Response(decision.body, { status: decision.status, headers: REFUSED });
  };
}

/** Health paths of an election: `app.get('/health/*', health(election, '/health'))`. */
export function health(election: Election, path = '/health'): (context: HonoContext) => Response {
  return ({ req }) => {
    const below = req.path.startsWith(path) ? req.path.slice(path.length) : req.path;
    const { status, body } = healthOf(election, below);
    return new Response(body, { status, headers: { 'content-type': 'application/json' } });
  };
}

async function forwarded(request: Request, url: URL, self: string): Promise<Response> {
  const headers = new Headers(request.headers);
  // `fetch` sets them itself.
  for (const name of ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'upgrade'])
    headers.delete(name);
  headers.set(FORWARDED, self);
  headers.set('x-forwarded-host', request.headers.get('host') ?? '');
  try {
    const { method, body, signal } = request;
    const init = { method, headers, body, signal, duplex: 'half', redirect: 'manual' } as RequestInit;
    const answer = await fetch(url, init);
    // `fetch` has already decoded it.
    const kept = new Headers(answer.headers);
    for (const name of [
      'content-encoding',
      'content-length',
      'transfer-encoding',
      'connection',
      'keep-alive',
    ])
      kept.delete(name);
    return new Response(answer.body, { status: answer.status, headers: kept });
  } catch (error) {
    const message = `the leader at ${url.origin} does not answer: ${(error as Error).message}`;
    const body = JSON.stringify({ code: 'E_UNREACHABLE', error: message });
    return new Response(body, { status: 502, headers: { 'content-type': 'application/json' } });
  }
}
