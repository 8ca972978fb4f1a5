/**
 * A member in a process of its own that, while it leads, writes to a store: `node writer-process.ts OPTIONS PORT [HOST [ELECTION...]]`.
 * Each write is a line with its token, the member, when it was begun, by the clock that all processes share, and the election; it is sent in
 * the very moment after `assert()` let it. What `assert()` throws goes to the standard output, and with WRITER_LOGS what the member logs.
 */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AnyJoinOptions, join } from '../../src/member/index.ts';

const log: NonNullable<AnyJoinOptions['log']> = ({ message }) => {
  if (process.env.WRITER_LOGS) process.stdout.write(`${JSON.stringify({ log: message })}\n`);
};
const [, , options, port, host = '127.0.0.1', ...elections] = process.argv;
const member = await join({ ...(JSON.parse(options!) as AnyJoinOptions), log });
const store = connect(Number(port), host).setNoDelay(true);
await Promise.all(
  (elections.length === 0 ? [member.mainElection] : elections).map((name) =>
    member.election(name).lead(async (leadership) => {
      for (;;) {
        const begunAt = process.hrtime.bigint();
        try {
          leadership.assert();
        } catch (error) {
          process.stdout.write(
            `${JSON.stringify({ token: String(leadership.token), threw: String(error) })}\n`,
          );
          return;
        }
        store.write(`${leadership.token} ${member.id} ${begunAt} ${name}\n`);
        await sleep(2);
      }
    }),
  ),
);
