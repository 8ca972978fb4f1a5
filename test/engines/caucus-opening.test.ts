/** The first participant of a cluster waits until the members have elected a lease manager: nothing is wrong meanwhile. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { Election } from '../../src/election/index.ts';
import { caucus } from '../../src/engines/caucus/index.ts';

let server: Server | null = null;
let engine: ReturnType<typeof caucus> | null = null;

afterEach(async () => {
  await engine?.close();
  server?.closeAllConnections();
  server?.close();
});

/** A member that answers so many requests with this error, and then grants what it is asked for. */
async function member(code: string, refusals: number): Promise<string> {
  let count = 0;
  const reading = { leader: 'p', token: '1', freeInMs: 1000, value: null, version: 0 };
  server = createServer((request, response) => {
    const isRefused = ++count <= refusals || request.url === '/leases/watch';
    const error = { code, message: 'no member manages the leases now' };
    response.writeHead(isRefused ? 503 : 200, { 'content-type': 'application/json' });
    const renewed = request.url === '/leases/renew' ? { held: true, asked: null } : { token: '1', reading };
    response.end(JSON.stringify(isRefused ? { error } : renewed));
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return `caucus://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each([
  ['E_NO_MANAGER', 8, false],
  ['E_INTERNAL', 2, true],
])('answers of %s, %i times, are told as trouble: %s', async (code, refusals, isTrouble) => {
  engine = caucus(await member(code, refusals), { name: 'p', leaseMs: 60_000, callMs: 200 });
  const election = new Election('first', engine);
  const causes: string[] = [];
  const observed = (async () => {
    for await (const { cause } of election.observe()) causes.push(cause);
  })();
  const leadership = await election.campaign();
  const before = [...causes];
  await leadership.resign();
  await election.close();
  await observed;
  expect(before.includes('store-unreachable'), String(before)).toBe(isTrouble);
});
