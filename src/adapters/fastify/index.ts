/** caucus/fastify: a member on the server of a service with Fastify, its health, and handlers for the leader alone. */
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

/** What is used of a request of Fastify. */
export interface FastifyRequestLike {
  readonly raw: IncomingMessage;
}

/** What is used of a reply of Fastify. */
export interface FastifyReplyLike {
  readonly raw: ServerResponse;
  hijack(): unknown;
}

/** A hook for `onRequest`: it runs before the body is read. */
export type RequestHook = (request: FastifyRequestLike, reply: FastifyReplyLike, done: () => void) => void;

/** What is used of an instance of Fastify. */
export interface FastifyLike {
  readonly server: object;
  addHook(name: 'onRequest', hook: RequestHook): unknown;
}

/** Mounts a member at the path of its URL, and lets the other members connect to it through the server. */
export function mountMember(app: FastifyLike, member: MountedMember, options: MountOptions = {}): void {
  const path = pathOf(member);
  app.addHook('onRequest', ({ raw: request }, reply, done) => {
    const target = request.url ?? '/';
    if (target !== path && !target.startsWith(`${path}/`) && !target.startsWith(`${path}?`)) return done();
    reply.hijack();
    if (!readOnly(request, reply.raw, options)) member.handler(request, reply.raw);
  });
  attachUpgrades(app.server as Server | SecureServer, member);
}

/** `{ onRequest: leaderOnly(election, …) }` among the options of a route, or a hook of a plugin, for the leader alone. */
export function leaderOnly(election: Election, options?: LeaderOnlyOptions): RequestHook {
  const routing = routingOf(election, options);
  return ({ raw: request }, reply, done) => {
    const decision = decide(routing, request.url ?? '/', request.headers[FORWARDED] !== undefined);
    if (decision.do === 'handle') return done();
    reply.hijack();
    answer(request, reply.raw, decision, election.self);
  };
}

/** Health paths of an election below `path`. */
export function mountHealth(app: FastifyLike, election: Election, path = '/health'): void {
  app.addHook('onRequest', ({ raw: request }, reply, done) => {
    const target = (request.url ?? '/').split('?')[0]!;
    if (target !== path && !target.startsWith(`${path}/`)) return done();
    reply.hijack();
    const { status, body } = healthOf(election, target.slice(path.length));
    reply.raw.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
}
