/**
 * A command that does not want to end. It appends to a file what it does, with its token and the machine's monotonic clock:
 *   node run-child.mjs FILE [ignore-term] [fork]
 */
import { spawn } from 'node:child_process';
import { openSync, writeSync } from 'node:fs';

const [file, ...habits] = process.argv.slice(2);
const log = openSync(file, 'a');
const token = process.env.CAUCUS_TOKEN ?? '0';
const note = (what) => writeSync(log, `${token} ${what} ${process.hrtime.bigint()} ${process.pid}\n`);

process.on('SIGTERM', () => {
  note('term');
  if (habits.includes('ignore-term')) return;
  note('end');
  process.exit(0);
});
for (const signal of ['SIGUSR1', 'SIGINT', 'SIGHUP']) process.on(signal, () => note(signal));
if (habits.includes('fork')) {
  spawn(process.execPath, [process.argv[1], file, ...habits.filter((each) => each !== 'fork')], {
    stdio: 'inherit',
  });
}
note('start');
setInterval(() => note('tick'), 1);
