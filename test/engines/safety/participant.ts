/**
 * A process that wants to lead, for trials in which processes are killed and stopped: `participant.ts URL ELECTION OPTIONS`. While
 * it leads it asks again and again whether it may act, and writes down when it was told so, by the clock that all processes
 * of a machine share. A line on its standard input is an order.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Election } from '../../../src/election/index.ts';
import { openEngine } from '../../../src/engines/open.ts';

const [url, name, options] = process.argv.slice(2);
const engine = await openEngine(url!, JSON.parse(options!));
const election = new Election(name!, engine);
const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;
const say = (what: object): void => {
  process.stdout.write(`${JSON.stringify(what)}\n`);
};

createInterface({ input: process.stdin }).on('line', (order) => {
  if (order === 'resign')
    void election.resign().catch((error) => say({ is: 'failed', error: String(error) }));
  if (order === 'shift') {
    const { now } = Date;
    Date.now = () => now() + 3_600_000;
  }
});
process.stdin.on('end', () => process.exit(0));

say({ is: 'up', name: election.self });
await election.lead(async ({ token, isValid, signal }) => {
  say({ is: 'won', token: String(token) });
  while (!signal.aborted) {
    const fromMs = nowMs();
    const valid = isValid();
    const toMs = nowMs();
    if (valid) say({ is: 'valid', token: String(token), fromMs, toMs });
    await sleep(3);
  }
  say({ is: 'lost', token: String(token), why: String(signal.reason) });
});
