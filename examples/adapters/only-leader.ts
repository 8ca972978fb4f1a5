/** Start it several times: one process works, and another one begins when that is killed. */
import { onlyLeader } from 'caucus/local';

let timer: NodeJS.Timeout | undefined;

await onlyLeader('nightly', {
  start: ({ token }) => {
    process.stdout.write(`${process.pid} leads with token ${token}\n`);
    timer = setInterval(() => process.stdout.write(`${process.pid} works\n`), 1000);
  },
  stop: () => clearInterval(timer),
});
