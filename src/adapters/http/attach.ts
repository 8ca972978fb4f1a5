import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { BadInput, show } from '../../core/index.ts';

/** What is used of a member that is mounted on a server. */
export interface MountedMember {
  readonly url: string;
  readonly voters: readonly { readonly id: string | number; readonly url: string }[];
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
  readonly handleUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;
}

export interface MountOptions {
  /** False: commands (every method but GET and HEAD) get 403 here (default: true). */
  readonly commands?: boolean;
}

/** Where a member expects to be mounted: the path of its URL, without a slash at the end. */
export function pathOf(member: MountedMember): string {
  if (typeof member?.handler !== 'function' || typeof member.handleUpgrade !== 'function')
    throw new BadInput('member', 'a member, of join({ mounted: true, url, … })', show(member));
  const path = new URL(member.url).pathname.replace(/\/+$/, '');
  if (path !== '') return path;
  throw new BadInput('member', 'a url with a path of its own, as in http://host:8080/caucus', member.url);
}

/** Other members connect by upgrading a request. What is not for this member is left to others, or closed if there are none. */
export function attachUpgrades(server: Server | SecureServer, member: MountedMember): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!member.handleUpgrade(request, socket, head) && server.listenerCount('upgrade') === 1)
      socket.destroy();
  });
}

/** Answers commands with 403 if they are not wanted; true if it has answered. */
export function readOnly(
  request: IncomingMessage,
  response: ServerResponse,
  { commands = true }: MountOptions,
): boolean {
  if (commands || request.method === 'GET' || request.method === 'HEAD') return false;
  const error = { code: 'E_NOT_ALLOWED', error: 'commands are not accepted here' };
  response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(error));
  return true;
}
