/**
 * A member in a process of its own that, while it leads, writes to a store: `node writer-process.ts OPTIONS PORT`. Each write is
 * a line with its token and when it was begun, by the clock that all processes share; it is sent in the very moment after
 * `assert()` let it. What `assert()` throws goes to the standard output, and with WRITER_LOGS what the member logs.
 */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JoinOptions, join } from '../../src/member/index.ts';

const log: NonNullable<JoinOptions['log']> = ({ message }) => {
  if (process.env.WRITER_LOGS) process.stdout.write(`${JSON.stringify({ log: message })}\n`);
};
const member = await join({ ...(JSON.parse(process.argv[2]!) as JoinOptions), log });
const store = connect(Number(process.argv[3]), '127.0.0.1').setNoDelay(true);
await member.election().lead(async (leadership) => {
  for (;;) {
    const begunAt = process.hrtime.bigint();
    try {
      leadership.assert();
    } catch (error) {
      process.stdout.write(`${JSON.stringify({ token: String(leadership.token), threw: String(error) })}\n`);
      return;
    }
    store.write(`${leadership.token} ${member.id} ${begunAt}\n`);
    await sleep(2);
  }
});
