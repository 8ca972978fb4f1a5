/**
 * `npm run verify:tls`: do new certificates and new CAs cost a leadership? Three members on this machine write behind a fence
 * while they lead; for a minute their CA and their certificates are replaced again and again, followers are killed and
 * started with what is new, and a wrong key is put in between. A control run of the same length without any of it stands
 * beside it.
 *
 *     npm run verify:tls -- [seconds]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { TlsRotation } from '../test/support/tls-rotation.ts';

const SECONDS = Number(process.argv[2] ?? 60);

async function run(what: string, act: (rotation: TlsRotation) => Promise<number>): Promise<boolean> {
  const rotation = await TlsRotation.open();
  try {
    const times = await act(rotation);
    const { writes, refused, tokens } = rotation;
    const isGood = tokens.length === 1 && refused === 0;
    process.stdout.write(
      `${what}: ${times} times, ${writes} writes, ${refused} refused by the fence, ${tokens.length - 1} changes of leader: ${isGood ? 'good' : 'BAD'}\n`,
    );
    return isGood;
  } finally {
    await rotation.close();
  }
}

const control = await run('without a change', async () => {
  await sleep(SECONDS * 1000);
  return 0;
});
const rotated = await run('CA and certificates replaced', async (rotation) => {
  let times = 0;
  for (const endMs = performance.now() + SECONDS * 1000; performance.now() < endMs; times++) {
    await rotation.spoil();
    await rotation.rotate();
  }
  return times;
});
// A machine that changes leaders by itself says nothing of the rotation.
process.exitCode = rotated ? 0 : control ? 1 : 2;
