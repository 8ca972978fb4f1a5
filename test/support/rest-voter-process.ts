/**
 * The voter of rest-voter.ts as a process: ID SEED HOST PORT CLUSTER SECRET-FILE. It always casts the highest number, and prints
 * a line of JSON whenever something that it knows has changed.
 */
import { readFileSync } from 'node:fs';
import { RestVoter } from './rest-voter.ts';

const [id, seed, host, port, cluster, file] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string,
];
// In the file each line is a secret; the first one is preferred.
const [text] = readFileSync(file, 'utf8').split('\n');
const voter = new RestVoter({
  id,
  seed,
  heartbeatMs: 200,
  draw: () => 2n ** 64n - 1n,
  listen: { host, port: Number(port) },
  secret: { cluster, text: text! },
});
let printed = '';
const print = (): void => {
  const { leader, term, isRemoved, knownVoters, castIn, certifiedIn } = voter;
  const line = JSON.stringify({ leader, term, isRemoved, knownVoters, castIn, certifiedIn });
  if (line !== printed) process.stdout.write(`${line}\n`);
  printed = line;
};
voter.on('change', print);
await voter.start();
print();
