/**
 * The HTTP API of a member, as a request handler for a server of its own or of the user's. Small on purpose: paths are looked up
 * in two tables, and whatever else is posted is a message of the protocol.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createPage } from '../../page/index.ts';
import type { MemberPort } from '../port.ts';
import { readJson } from './body.ts';
import { type Call, messagesOf, usualElection } from './call.ts';
import { ChangeCounts } from './change-counts.ts';
import { commands, putValue } from './commands.ts';
import { answerHealth, healthPaths } from './health.ts';
import { HttpError } from './http-error.ts';
import { refuseForeignNames, refuseForeignPages } from './origin.ts';
import { findQuestion, type Handler } from './questions.ts';
import { sendEmpty, sendError } from './reply.ts';
import { mountOf, readTarget } from './target.ts';
import { message, register, remove } from './voters.ts';
import { Watchers } from './watchers.ts';

export interface Api {
  (request: IncomingMessage, response: ServerResponse): void;
  /** Ends the streams that would otherwise keep their connections, and with them the server, open. */
  close(): void;
}

export interface ApiOptions {
  /** How often a silent stream says that it is still there. */
  readonly watchHeartbeatMs?: number;
  /** The names under which questions are answered, besides those of the loopback and addresses; null for any. */
  readonly hosts?: readonly string[] | null;
}

export function createApi(member: MemberPort, options: ApiOptions = {}): Api {
  const watchers = new Watchers(member, options.watchHeartbeatMs ?? 5000);
  const changes = new ChangeCounts(member);
  const page = createPage({ mode: 'member', chaos: false, api: '../' });
  const handler = (request: IncomingMessage, response: ServerResponse): void => {
    // A client that goes away in the middle is its own affair.
    response.on('error', () => {});
    answer({ member, request, response, watchers, changes, page }, options.hosts ?? null).catch(
      (error: unknown) => sendError(response, error),
    );
  };
  const close = (): void => {
    watchers.close();
    changes.close();
  };
  return Object.assign(handler, { close });
}

async function answer(
  asked: Omit<Call, 'path' | 'query' | 'electionName'>,
  hosts: readonly string[] | null,
): Promise<void> {
  const { request, response, member } = asked;
  const target = readTarget(request.url ?? '/', mountOf(member.url));
  const { path, query, name } = target;
  const isAsking = request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS';
  const call: Call = {
    ...asked,
    path,
    query,
    electionName: name ?? query.get('election') ?? (isAsking ? usualElection(member) : member.mainElection),
  };
  const question = findQuestion(target);
  const { method } = request;
  if ((method === 'GET' || method === 'HEAD') && question !== undefined) {
    if (hosts !== null) refuseForeignNames(request, hosts);
    return question(call);
  }
  if (method === 'OPTIONS' && healthPaths.includes(path)) return answerHealth(call);
  if (method === 'POST' && (await post(call))) return;
  if (method === 'PUT' && (await put(call))) return;
  const allow = allowed(call, question);
  if (allow.length === 0) {
    if (method === 'POST') member.countRefusal('unknown-type');
    throw new HttpError(404, 'E_NOT_FOUND', `there is nothing at ${path}; /openapi.json lists what there is`);
  }
  const headers = { allow: allow.join(', ') };
  if (method === 'OPTIONS') return sendEmpty(response, 204, headers);
  throw new HttpError(405, 'E_METHOD', `${path} answers ${headers.allow}, not ${method}`, {
    headers,
  });
}

/** A body with a `voterId` is a message of that voter; one without is a command of the user, where the path has both. */
async function post(call: Call): Promise<boolean> {
  const { path } = call;
  const type = path.slice(1);
  const command = commands[path];
  const isMessage = path === '/register' || path === '/remove' || Object.hasOwn(messagesOf(call), type);
  if (!isMessage && command === undefined) return false;
  refuseForeignPages(call.request, call.member.url);
  const body = await read(call);
  if (path === '/register') register(call, body);
  else if (path === '/remove') await remove(call, body);
  else if (command !== undefined && !(isMessage && hasSender(body))) await command(call, body);
  else message(call, body, type);
  return true;
}

async function put(call: Call): Promise<boolean> {
  if (call.path !== '/value') return false;
  refuseForeignPages(call.request, call.member.url);
  await putValue(call, await read(call));
  return true;
}

function hasSender(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'voterId' in body;
}

function read({ request, member }: Call): Promise<unknown> {
  return readJson(request, (refusal) => member.countRefusal(refusal));
}

function allowed(call: Call, question: Handler | undefined): string[] {
  const { path } = call;
  const posted =
    path in commands ||
    path === '/register' ||
    path === '/remove' ||
    Object.hasOwn(messagesOf(call), path.slice(1));
  return [
    ...(question === undefined ? [] : ['GET', 'HEAD', 'OPTIONS']),
    ...(posted ? ['POST'] : []),
    ...(path === '/value' ? ['PUT'] : []),
  ];
}
