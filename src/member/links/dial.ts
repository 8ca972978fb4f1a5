import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { handshakeWords } from '../../auth/index.ts';
import type { MemberId } from '../../core/index.ts';
import type { Connection } from './connection.ts';
import type { LinkAuthentication } from './link-authentication.ts';
import type { ResolvedLinkOptions } from './options.ts';
import type { Proven } from './prove.ts';
import { LONGEST_REFUSAL, reasonIn } from './refusal-words.ts';

export type Dialled =
  | { readonly type: 'open'; readonly connection: Connection }
  /** An HTTP server answered that keeps no links: a voter that speaks only REST. */
  | { readonly type: 'rest' }
  /** The two sides do not prove to each other that they belong together. */
  | Extract<Proven, { type: 'refused' }>
  | { readonly type: 'failed'; readonly reason: string };

/** An attempt to connect. */
export interface Dial {
  /** Cancels the attempt unless it has succeeded; the other side has not noticed it then. */
  abort(): void;
}

/** Names the member that dials, so that one that was removed is told so at once. Nothing else depends on it. */
export const MEMBER_HEADER = 'caucus-member';

export function linkUrl(url: string, path: string): string {
  return `${url.replace(/^http/, 'ws').replace(/\/+$/, '')}${path}`;
}

/** Why a peer cannot be called at this URL: a member that has a certificate shows it, and never falls back to plain http. */
export function plainUrl(url: string, { tls }: Pick<ResolvedLinkOptions, 'tls'>): string | null {
  if (tls === null || /^https:/i.test(url)) return null;
  return 'its URL begins with http:, and members with certificates call each other by https only; change its URL';
}

/** `done` is called exactly once, and not after `abort`. */
export function dial(
  url: string,
  peer: MemberId,
  options: ResolvedLinkOptions,
  authentication: LinkAuthentication,
  done: (result: Dialled) => void,
): Dial {
  let settled = false;
  const finish = (result: Dialled): void => {
    if (settled) return;
    settled = true;
    done(result);
  };
  let ws: WebSocket;
  try {
    const plain = plainUrl(url, options);
    if (plain !== null) throw new Error(plain);
    ws = new WebSocket(linkUrl(url, options.path), {
      perMessageDeflate: false,
      autoPong: false,
      maxPayload: authentication.largestFrame,
      handshakeTimeout: options.connectMs,
      headers: { [MEMBER_HEADER]: String(authentication.own) },
      ...options.tls?.dialOptions(peer),
    });
  } catch (error) {
    // An invalid URL is reported like any other peer that cannot be reached.
    process.nextTick(finish, { type: 'failed', reason: (error as Error).message });
    return {
      abort() {
        settled = true;
      },
    };
  }
  let socket: Duplex | null = null;
  ws.on('upgrade', (response) => {
    socket = response.socket;
  });
  ws.on('open', () => {
    if (settled || socket === null) ws.terminate();
    else authentication.asInitiator({ ws, socket, remote: url }, peer, finish);
  });
  ws.on('unexpected-response', (_, response) => {
    const status = response.statusCode ?? 0;
    if (status === 410) {
      void refusalIn(response).then((words) => {
        const reason = words.replace(/^: /, '') || 'this member was removed';
        finish({ type: 'refused', refused: { kind: 'removed', reason }, verdict: 'refuses-us' });
        ws.terminate();
      });
      return;
    }
    if (meansRest(status)) {
      finish({ type: 'rest' });
      ws.terminate();
      return;
    }
    void refusalIn(response).then((reason) => {
      finish({ type: 'failed', reason: `it answered ${status}${reason}` });
      ws.terminate();
    });
  });
  ws.on('error', (error) => finish({ type: 'failed', reason: handshakeWords(error) ?? error.message }));
  return {
    abort() {
      settled = true;
      ws.terminate();
    },
  };
}

/**
 * A server that does not know the path answers 404, 426 or the like, or treats the request as any other GET. An error
 * of the server itself, or of a proxy before it, does not say what it supports.
 */
function meansRest(status: number): boolean {
  return status < 500 && ![401, 403, 407, 408, 429].includes(status);
}

/** What the other side says of it: `: WORDS`, or nothing. */
async function refusalIn(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes > LONGEST_REFUSAL) break;
    }
  } catch {
    // It was cut off: what came so far may be enough.
  }
  return reasonIn(Buffer.concat(chunks));
}
