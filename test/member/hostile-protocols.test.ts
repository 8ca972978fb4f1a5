/**
 * Well-formed messages that are random in every field, from another member over its connection and by POST, to a member of
 * each protocol. None ends the process (an error that is not caught fails the test), and the member goes on answering.
 */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type AnyJoinOptions, join, type Member } from '../../src/member/index.ts';
import { encodeHello } from '../../src/member/links/frames.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { ask } from '../api/test-member.ts';
import { Forger } from '../support/forge.ts';

const NOWHERE = 'http://127.0.0.1:9';
const MEMBERS = 20;
const MESSAGES = 30;

let member: Member | null = null;
afterEach(async () => {
  await member?.close();
  member = null;
});

async function connect({ url }: Member, id: string): Promise<WebSocket> {
  const peer = new WebSocket(`${url.replace('http', 'ws')}/link`);
  peer.on('error', () => {}).setMaxListeners(0);
  await once(peer, 'open');
  const identity = { cluster: 'caucus', incarnation: 1, life: 'its own', url: NOWHERE, process: null };
  peer.send(encodeHello({ id, ...identity }));
  await once(peer, 'message');
  return peer;
}

async function taken(peer: WebSocket): Promise<void> {
  if (peer.readyState !== WebSocket.OPEN) return;
  peer.ping();
  await Promise.race([once(peer, 'pong'), once(peer, 'close')]);
}

const CASES: readonly AnyJoinOptions[] = [
  ...Object.keys(catalogue).map((protocol) => ({ protocol })),
  { protocol: 'bully', options: { quorum: true } },
  { protocol: 'draw', options: { quorum: true, voters: 3 }, timing: { heartbeatMs: 20 } },
  { protocol: 'draw', timing: { heartbeatMs: 20 } },
];

/** As long as a few timers of every protocol here: what a message has left behind is used by then. */
const AFTERWARDS_MS = 70;

it.each(CASES)('a member of %j lives on', async (options) => {
  const definition = catalogue[options.protocol!]!;
  const peers = ['b', 'c'].map((id) => ({ id, url: NOWHERE }));
  // Where voters register, one that has is believed about its own address.
  const id = definition.registration === undefined ? 'c' : 'd';
  // Fresh members: one that was removed by a message takes no part in what follows.
  for (let seed = 1; seed <= MEMBERS; seed++) {
    const forger = new Forger(definition, seed);
    member = await join({ id: 'a', peers, ...options });
    void member
      .election()
      .lead(() => {})
      .catch(() => {});
    if (id === 'd') await ask(member, 'POST', '/register', { voterId: id, voterUrl: NOWHERE });
    let peer = await connect(member, id);
    for (let i = 0; i < MESSAGES; i++) {
      if (peer.readyState !== WebSocket.OPEN) peer = await connect(member, id);
      peer.send(JSON.stringify([forger.pick(['main', 'main', 'other']), forger.message()]));
      if (i % 4 > 0) continue;
      const { type, ...fields } = forger.message();
      const body = { voterId: forger.pick(['b', 'c', 'd']), ...fields };
      const { status } = await ask(member, 'POST', `/${type}`, body);
      expect(status, `seed ${seed}: ${type} ${JSON.stringify(body)}`).toBeLessThan(500);
    }
    await taken(peer);
    await delay(AFTERWARDS_MS);
    peer.terminate();
    // A message of the wrong shape would try nothing.
    expect(member.refusals['bad-shape']).toBeLessThan(MESSAGES / 2);
    expect((await ask(member, 'GET', '/status')).status).toBe(200);
    await member.close();
  }
});
