/** Certificates and their CA are replaced while members write behind a fence: the leader stays. */
import { afterEach, expect, it } from 'vitest';
import { TlsRotation } from '../support/tls-rotation.ts';

let rotation: TlsRotation | null = null;

afterEach(async () => {
  await rotation?.close();
});

it('a new CA and new certificates change no leader and lose no write', async () => {
  rotation = await TlsRotation.open();
  const [first] = rotation.tokens;
  await rotation.spoil();
  expect(rotation.complaints).toEqual([
    expect.stringMatching(
      /tls\.key: expected the key of the certificate in .*, which is the key of another certificate$/,
    ),
  ]);
  await rotation.rotate();
  expect(rotation.tokens).toEqual([first]);
  expect(rotation.refused).toBe(0);
  expect(rotation.writes).toBeGreaterThan(100);
}, 180_000);
