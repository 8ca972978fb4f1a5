/** The one door: the same on a store and as a member. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Caucus, caucus } from '../../src/index.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanUp.splice(0).reverse()) await each();
});

async function onStore(options = {}): Promise<Caucus> {
  const folder = mkdtempSync(path.join(tmpdir(), 'caucus-door-'));
  cleanUp.push(() => rmSync(folder, { recursive: true, force: true }));
  return caucus(`local:${folder}`, { name: 'solo', ...options });
}

const doors = {
  'a store': () => onStore(),
  'a member': () => caucus({ id: 'solo' }),
} as const;

async function served({ handler }: Caucus): Promise<string> {
  const server = createServer(handler);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanUp.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.each(Object.entries(doors))('the door to %s', (_, open) => {
  it('has elections, a handler, metrics and a history', async () => {
    const door = await open();
    cleanUp.push(() => door.close());
    expect(door.name).toBe('solo');
    const election = door.election();
    expect(door.election()).toBe(election);
    expect(door.election('other', { drainMs: 10 })).not.toBe(election);
    expect(() => door.election('other', { drainMs: 10 })).toThrow('is already open');
    const leadership = await election.campaign();
    await expect.poll(() => door.history().at(-1)?.leader).toBe('solo');
    expect(door.history('unknown')).toEqual([]);
    expect(door.metrics()).toMatch(/^caucus_is_leader\{.*election="main".*\} 1$/m);
    const url = await served(door);
    expect(await (await fetch(`${url}/status`)).json()).toMatchObject({ voterId: 'solo' });
    expect((await fetch(`${url}/leader`)).status).toBe(200);
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('caucus_is_leader');
    expect((await fetch(`${url}/elections/never/status`)).status).toBe(404);
    await leadership.resign();
    await expect.poll(() => door.history().at(-1)?.leader).toBe(null);
  });

  it('closes everything', async () => {
    const door = await open();
    const waiting = door.election().lead(({ ended }) => ended);
    await expect.poll(() => door.election().leadership !== null).toBe(true);
    await door.close();
    await expect(waiting).rejects.toMatchObject({ code: 'E_CLOSED' });
  });
});

describe('the handler on a store', () => {
  it('takes commands of operators alone', async () => {
    const token = 'operator-token-of-the-test-0123456789';
    const door = await onStore({ tokens: [{ name: 'op', roles: ['operate'], token }] });
    cleanUp.push(() => door.close());
    const url = await served(door);
    const leadership = await door.election().campaign();
    const resign = (headers = {}): Promise<Response> => fetch(`${url}/resign`, { method: 'POST', headers });
    expect((await resign()).status).toBe(401);
    void leadership.ended.then(() => leadership.resign());
    expect((await resign({ authorization: `Bearer ${token}` })).status).toBe(200);
    expect(leadership.lost).not.toBe(null);
    const shut = await onStore();
    cleanUp.push(() => shut.close());
    expect((await fetch(`${await served(shut)}/resign`, { method: 'POST' })).status).toBe(403);
  });
});

it('the door refuses what it cannot open', async () => {
  await expect(caucus(7 as never)).rejects.toThrow(
    'caucus: expected the URL of a store, or the options of a member',
  );
  await expect(caucus('x:')).rejects.toThrow('engine: expected a URL that begins with one of');
  await expect(caucus({ isolate: true } as never)).rejects.toThrow(
    'isolate: expected join({ isolate: true })',
  );
  await expect(caucus('local:', { leaseMs: 5 } as never)).rejects.toThrow('leaseMs');
});
