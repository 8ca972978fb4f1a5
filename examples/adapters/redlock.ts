/** The package `redlock` replaced: only the import differs, and there is a token. `npx tsx redlock.ts 6379` */
import Redlock from 'caucus/redlock';
import { Redis } from 'ioredis';

const redlock = new Redlock([new Redis({ host: '127.0.0.1', port: Number(process.argv[2] ?? 6379) })]);

await redlock.using(['account-7', 'account-8'], 5000, async (signal, { token, assert }) => {
  if (signal.aborted) throw signal.error;
  assert(); // The same in one word.
  process.stdout.write(`paid with token ${token}\n`); // Your write: the token goes with it.
});

await redlock.quit();
