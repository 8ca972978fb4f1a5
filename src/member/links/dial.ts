import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import type { MemberId } from '../../core/index.ts';
import type { Connection } from './connection.ts';
import type { LinkAuthentication } from './link-authentication.ts';
import type { ResolvedLinkOptions } from './options.ts';
import type { Proven } from './prove.ts';

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

export function linkUrl(url: string, path: string): string {
  return `${url.replace(/^http/, 'ws').replace(/\/+$/, '')}${path}`;
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
    ws = new WebSocket(linkUrl(url, options.path), {
      perMessageDeflate: false,
      maxPayload: authentication.largestFrame,
      handshakeTimeout: options.connectMs,
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
    finish(meansRest(status) ? { type: 'rest' } : { type: 'failed', reason: `it answered ${status}` });
    ws.terminate();
  });
  ws.on('error', (error) => finish({ type: 'failed', reason: error.message }));
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
