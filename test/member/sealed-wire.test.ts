/** What a sealed connection makes of frames that its peer, who has the secret, may seal. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { Opener, readSecrets, Sealer, Secrets } from '../../src/auth/index.ts';
import { SealedWire } from '../../src/member/links/sealed-wire.ts';

const PING = 1;
const PONG = 2;

it('answers pings as large as those of a WebSocket, and breaks at larger ones', () => {
  const list = readSecrets('a-secret-of-this-test-alone', 'secret');
  const [sendKey, receiveKey] = [randomBytes(32), randomBytes(32)];
  const put: Buffer[] = [];
  const session = { peer: 'b', secret: list[0]!, sendKey, receiveKey };
  const ends = { cluster: 'test', own: 'a', isInitiator: true };
  const wire = new SealedWire(session, ends, new Secrets(list), (frame) => put.push(frame));
  const theirs = new Sealer(receiveKey);
  expect(wire.open(theirs.seal(PING, 'x'.repeat(125)), true)).toEqual({ type: 'nothing' });
  expect(new Opener(sendKey).open(put[0]!)).toMatchObject({ kind: PONG });
  expect(wire.open(theirs.seal(PING, 'x'.repeat(126)), true)).toEqual({
    type: 'broken',
    kind: 'bad-seal',
    reason: 'a ping of 126 bytes',
  });
  expect(put).toHaveLength(1);
});
