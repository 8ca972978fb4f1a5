/**
 * A member for verify/rotation.ts: `rotation-member.ts OPTIONS`. While it leads it writes: a line with its token and when the write
 * was begun, by the clock that all processes share. What it logs goes to its standard output too.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type AnyJoinOptions, join } from '../src/member/index.ts';

const say = (what: object): void => void process.stdout.write(`${JSON.stringify(what)}\n`);
const member = await join({
  ...(JSON.parse(process.argv[2]!) as AnyJoinOptions),
  log: ({ message }) => say({ log: message }),
});
process.on('disconnect', () => process.exit(0));
await member.election().lead(async (leadership) => {
  for (;;) {
    const begunUs = Number(process.hrtime.bigint() / 1000n);
    leadership.assert();
    say({ token: String(leadership.token), begunUs });
    await sleep(5);
  }
});
