/**
 * The HTTP API of a member, as a request handler for its own server or one of the user's. Paths are looked up in two
 * tables; any other POST is a message of the protocol.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Access, judge, needsOf, needsToken, Tokens } from '../auth/index.ts';
import { type ActStore, Acts } from './acts.ts';
import { Authorization, tokenOf, type VoterCheck } from './authorize.ts';
import { readJson } from './body.ts';
import { type Call, messagesOf, usualElection } from './call.ts';
import { Changes } from './changes.ts';
import { commands } from './commands.ts';
import { HEARTBEAT_MS } from './event-stream.ts';
import { answerHealth, isHealthPath } from './health.ts';
import { HttpError } from './http-error.ts';
import { answerLease, leaseRoutes } from './leases.ts';
import { MEMBER_COMMANDS } from './members.ts';
import { describeApi } from './openapi.ts';
import type { VoterSecurity } from './openapi-operations.ts';
import { refuseForeignNames, refuseForeignPages } from './origin.ts';
import { createPage } from './page.ts';
import type { MemberPort, WitnessPort } from './port.ts';
import { findQuestion, type Handler } from './questions.ts';
import { sendEmpty, sendError, signWith } from './reply.ts';
import { mountOf, readTarget, type Target } from './target.ts';
import { isRemoval, message, register, remove } from './voters.ts';
import { Watchers } from './watchers.ts';

export interface Api {
  (request: IncomingMessage, response: ServerResponse): void;
  /** Ends the event streams, which would keep their connections, and so the server, open. */
  close(): void;
}

export interface ApiOptions {
  /** How often an idle stream sends a heartbeat. */
  readonly watchHeartbeatMs?: number;
  /** The host names under which questions are answered, besides those of the loopback and addresses; null for any. */
  readonly hosts?: readonly string[] | null;
  /** May this request be answered at all? Null: every request may. */
  readonly allow?: ((request: IncomingMessage) => boolean) | null;
  /** Who may do what; read at every request, since tokens change. Default: everything is open. */
  readonly access?: () => Access;
  /** Authenticates voters that send messages by POST. Null: any client may send them. */
  readonly voters?: VoterCheck | null;
  /** Logs what operators do. */
  readonly note?: (message: string) => void;
  /** Keeps what operators do. Null: only this process remembers it. */
  readonly acts?: ActStore | null;
  /** Null: it takes no reports of witnesses. */
  readonly witnesses?: WitnessPort | null;
}

/** A member on the loopback without tokens. */
const OPEN: Access = { tokens: new Tokens(), closed: false, isOpen: true };

const NOT_ALLOWED =
  'this member is mounted where other machines can reach it, which needs insecure: true, or a check of its own that lets you in';

const NOT_VERIFIED =
  'the body was read by another handler, so its sender cannot be verified; mount this handler before it';

export function createApi(member: MemberPort, options: ApiOptions = {}): Api {
  const watchers = new Watchers(member, options.watchHeartbeatMs ?? HEARTBEAT_MS);
  const changes = new Changes(member);
  const { witnesses = null } = options;
  const access = options.access ?? ((): Access => OPEN);
  const acts = new Acts(options.note ?? (() => {}), options.acts ?? null);
  const authorization = new Authorization({
    access,
    voters: options.voters ?? null,
    refused: (refusal, told) => member.countRefusal(refusal, told),
  });
  const page = createPage(() => ({
    mode: 'member',
    chaos: false,
    api: '../',
    tokens: tokensNeeded(access()),
  }));
  const describe = descriptionOf(member, access, (options.voters ?? null) !== null);
  const handler = (request: IncomingMessage, response: ServerResponse): void => {
    // A client that disconnects in the middle causes no error here.
    response.on('error', () => {});
    if (options.allow?.(request) === false)
      return sendError(response, new HttpError(403, 'E_NOT_ALLOWED', NOT_ALLOWED));
    const asked = { member, request, response, watchers, changes, acts, page, describe, witnesses };
    answer(asked, authorization, options.hosts ?? null).catch((error: unknown) => sendError(response, error));
  };
  const close = (): void => {
    watchers.close();
    changes.close();
  };
  return Object.assign(handler, { close });
}

/**
 * The text of `/openapi.json`. Making it takes as long as answering thirty other requests, so it is made once: again only
 * if the URL has changed, which a member that listens on any free port learns late, or the tokens.
 */
function descriptionOf(member: MemberPort, access: () => Access, areVotersProven: boolean): () => string {
  let made: { readonly url: string; readonly access: Access | null; readonly text: string } = {
    url: '',
    access: null,
    text: '',
  };
  return () => {
    const { url } = member;
    const now = access();
    if (made.url !== url || made.access !== now)
      made = {
        url,
        access: now,
        text: `${JSON.stringify(describeApi(member, now, votersOf(member, areVotersProven)))}\n`,
      };
    return made.text;
  };
}

function votersOf({ certificate = null }: MemberPort, areVotersProven: boolean): VoterSecurity {
  if (certificate !== null) return 'certificate';
  return areVotersProven ? 'proof' : 'none';
}

/** The roles for which a client needs a token. */
function tokensNeeded(access: Access): string[] {
  return (['read', 'operate'] as const).filter((role) => needsToken(access, role));
}

/** A call that is not authorized yet. */
type Asked = Omit<Call, 'entry' | 'mayRead'>;

async function answer(
  asked: Omit<Asked, 'path' | 'query' | 'electionName'>,
  authorization: Authorization,
  hosts: readonly string[] | null,
): Promise<void> {
  const { request, response, member } = asked;
  const target = readTarget(request.url ?? '/', mountOf(member.url));
  const { path, query, name } = target;
  const isAsking = request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS';
  const call: Asked = {
    ...asked,
    path,
    query,
    electionName: name ?? query.get('election') ?? (isAsking ? usualElection(member) : member.mainElection),
  };
  const question = findQuestion(target);
  const memberCommand =
    name === null && Object.hasOwn(MEMBER_COMMANDS, path) ? MEMBER_COMMANDS[path] : undefined;
  const { method } = request;
  if ((method === 'GET' || method === 'HEAD') && question !== undefined) {
    if (hosts !== null) refuseForeignNames(request, hosts);
    return question(authenticateQuestion(authorize(call, authorization, isAsked(call)), authorization));
  }
  if (method === 'OPTIONS' && isHealthPath(path)) return answerHealth(authorize(call, authorization));
  if (method === 'POST' && memberCommand !== undefined) {
    refuseForeignPages(request, member.url);
    const authorized = authorize(call, authorization);
    return memberCommand.handler(authorized, await read(authorized, authorization));
  }
  if (method === 'POST' && isLeasePath(target)) return lease(call, authorization);
  if ((method === 'POST' || method === 'PUT') && (await act(call, authorization, method))) return;
  const isPosted = memberCommand !== undefined || isLeasePath(target);
  const allow = isPosted ? ['POST'] : allowed(call, question);
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

/** Throws unless the request may be answered. Called before its body is read. */
function authorize(call: Asked, authorization: Authorization, isMessage = false): Call {
  const { request, path, query } = call;
  const entry = authorization.enter(request, path, query, needsOf(request.method!, path, isMessage));
  return { ...call, entry, mayRead: judge(authorization.access, 'read', tokenOf(request)).isGranted };
}

/**
 * Where a path is both a message and a command: a body with a `voterId` is a message of that voter, one without is a
 * command of a user.
 */
async function act(asked: Asked, authorization: Authorization, method: 'POST' | 'PUT'): Promise<boolean> {
  const { path, request } = asked;
  const type = path.slice(1);
  const command = commands[path]?.method === method ? commands[path] : undefined;
  const isMessage = method === 'POST' && isMessagePath(asked);
  if (!isMessage && command === undefined) return false;
  refuseForeignPages(request, asked.member.url);
  const call = authorize(asked, authorization, method === 'POST' && Object.hasOwn(messagesOf(asked), type));
  const body = await read(call, authorization);
  const isCommand =
    path === '/remove' ? isRemoval(call, body) : command !== undefined && !(isMessage && hasSender(body));
  const { notCommand, notMessage } = call.entry;
  if (isCommand && notCommand !== null) throw notCommand();
  if (!isCommand && notMessage !== null) throw authorization.notProven(request, path, notMessage);
  if (path === '/register') register(call, body);
  else if (path === '/remove') await remove(call, body);
  else if (command !== undefined && isCommand) await command.handler(call, body);
  else message(call, body, type);
  return true;
}

/** The elections of participants have no paths of their own: the body names them. */
function isLeasePath({ path, name }: Target): boolean {
  return name === null && Object.hasOwn(leaseRoutes, path);
}

async function lease(asked: Asked, authorization: Authorization): Promise<void> {
  refuseForeignPages(asked.request, asked.member.url);
  const call = authorize(asked, authorization);
  await answerLease(call, await read(call, authorization));
}

/** Voters are registered and removed at these paths in every protocol: one without such messages answers that. */
function isMessagePath(call: Asked): boolean {
  const { path } = call;
  return path === '/register' || path === '/remove' || Object.hasOwn(messagesOf(call), path.slice(1));
}

function hasSender(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'voterId' in body;
}

/** Voters ask each other for their status too (seed 002), and one that joins for the members. */
function isAsked(call: Asked): boolean {
  return call.path === '/members' || (call.path === '/status' && Object.hasOwn(messagesOf(call), 'status'));
}

/** A voter that asks proves that, and its answer is proven; any other client needs what its role needs. */
function authenticateQuestion(call: Call, authorization: Authorization): Call {
  const { claim, notCommand } = call.entry;
  if (claim !== null) verify(call, authorization, Buffer.alloc(0));
  else if (notCommand !== null) throw notCommand();
  return call;
}

/** Throws unless the body is that of the voter; from then on the answer is proven too. */
function verify({ request, response, path, entry }: Call, authorization: Authorization, body: Buffer): void {
  const { claim } = entry;
  if (claim === null) return;
  try {
    if (claim.verify !== null) signWith(response, claim.verify(body));
    claim.accept();
  } catch (error) {
    throw error instanceof HttpError ? authorization.notProven(request, path, error) : error;
  }
}

/** A missing body counts as empty. */
async function read(call: Call, authorization: Authorization): Promise<unknown> {
  const { request, member, entry } = call;
  let isVerified = (entry.claim?.verify ?? null) === null;
  const onBytes = (bytes: Buffer): void => {
    verify(call, authorization, bytes);
    isVerified = true;
  };
  const body = await readJson(request, (refusal) => member.countRefusal(refusal), onBytes);
  if (!isVerified) throw new HttpError(500, 'E_BODY_READ', NOT_VERIFIED);
  return body === undefined ? {} : body;
}

function allowed(call: Asked, question: Handler | undefined): string[] {
  const command = commands[call.path]?.method;
  return [
    ...(question === undefined ? [] : ['GET', 'HEAD', 'OPTIONS']),
    ...(command === 'POST' || isMessagePath(call) ? ['POST'] : []),
    ...(command === 'PUT' ? ['PUT'] : []),
  ];
}
