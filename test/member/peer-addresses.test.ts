/** Which addresses are those of peers, for which connections are kept. */
import { afterEach, expect, it } from 'vitest';
import { PeerAddresses } from '../../src/member/peer-addresses.ts';

let addresses: PeerAddresses | null = null;

afterEach(() => addresses?.close());

const names: Record<string, readonly string[]> = {
  'b.example': ['192.0.2.2', '2001:db8::2'],
  localhost: ['127.0.0.1'],
};

async function resolve(name: string): Promise<readonly string[]> {
  if (/^[\d.:a-f]+$/.test(name)) return [name];
  const found = names[name];
  if (found === undefined) throw new Error('no such name');
  return found;
}

it('are those of the hosts in their URLs, but never the loopback', async () => {
  let urls = [
    'https://192.0.2.1:7101',
    'https://b.example',
    'https://gone.example',
    'https://[2001:db8::3]:1',
    'https://localhost:2',
  ];
  addresses = new PeerAddresses(() => urls, resolve);
  expect(addresses.has('192.0.2.1')).toBe(false);
  await addresses.look();
  for (const each of ['192.0.2.1', '192.0.2.2', '2001:db8::2', '2001:db8::3'])
    expect(addresses.has(each)).toBe(true);
  for (const each of ['192.0.2.9', '127.0.0.1', '']) expect(addresses.has(each)).toBe(false);
  urls = ['https://192.0.2.9'];
  await addresses.look();
  expect([addresses.has('192.0.2.1'), addresses.has('192.0.2.9')]).toEqual([false, true]);
});
