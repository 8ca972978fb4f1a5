/** caucus/express: a member on the server of a service with Express, its health, and handlers for the leader alone. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Election } from '../../election/index.ts';
import {
  answer,
  attachUpgrades,
  decide,
  FORWARDED,
  healthOf,
  type LeaderOnlyOptions,
  type MountedMember,
  type MountOptions,
  pathOf,
  readOnly,
  routingOf,
} from '../http/index.ts';

export type { LeaderOnlyOptions, MountedMember, MountOptions };

/** A handler, as Express takes them; plain servers and other frameworks do too. */
export type Handler = (
  request: IncomingMessage & { originalUrl?: string },
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** What is used of an application or router. */
export interface ExpressApp {
  use(path: string, handler: Handler): unknown;
}

/** Mounts a member at the path of its URL, and lets the other members connect to it through the server. */
export function mountMember(
  app: ExpressApp,
  server: Server | SecureServer,
  member: MountedMember,
  options: MountOptions = {},
): void {
  app.use(pathOf(member), (request, response) => {
    if (!readOnly(request, response, options)) member.handler(request, response);
  });
  attachUpgrades(server, member);
}

/** A handler before those that only the leader may run. */
export function leaderOnly(election: Election, options?: LeaderOnlyOptions): Handler {
  const routing = routingOf(election, options);
  return (request, response, next) => {
    const target = request.originalUrl ?? request.url ?? '/';
    const decision = decide(routing, target, request.headers[FORWARDED] !== undefined);
    if (decision.do === 'handle') next();
    else answer(request, response, decision, election.self);
  };
}

/** Health paths of an election, to mount at a path: `app.use('/health', health(election))`. */
export function health(election: Election): Handler {
  return (request, response) => {
    const { status, body } = healthOf(election, (request.url ?? '/').split('?')[0]!);
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  };
}
