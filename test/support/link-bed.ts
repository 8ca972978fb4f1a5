/** Starts links and what stands between them, and clears all of it away after each test. */
import { afterEach } from 'vitest';
import type { LinkOptions } from '../../src/member/links/index.ts';
import { introduce, type Linked, startLinked, until } from './linked.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

const running: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((stop) => stop()));
});

export function cleanUp(stop: () => Promise<void>): void {
  running.push(stop);
}

export async function start(...args: Parameters<typeof startLinked>): Promise<Linked> {
  const member = await startLinked(...args);
  cleanUp(() => member.stop());
  return member;
}

export async function startProxy(url: string): Promise<TcpProxy> {
  const proxy = await startTcpProxy(url);
  cleanUp(() => proxy.close());
  return proxy;
}

/** Members 1, 2, … that are all connected. */
export async function startCluster(size: number, options: LinkOptions = {}): Promise<Linked[]> {
  const members = await Promise.all(Array.from({ length: size }, (_, i) => start(i + 1, options)));
  introduce(members);
  await until('all are up', () => members.every((member) => member.events.length === size - 1));
  return members;
}

export async function openConnections(members: readonly Linked[]): Promise<number> {
  const counts = await Promise.all(members.map((member) => member.accepted()));
  return counts.reduce((a, b) => a + b, 0);
}
