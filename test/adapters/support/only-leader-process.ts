/**
 * Processes that each call `onlyLeader`, as under PM2, or with `cluster` as the workers of one primary process. Each that
 * leads prints its process id and its token.
 */
import cluster from 'node:cluster';
import { onlyLeader } from '../../../src/adapters/local/index.ts';

const [folder, how] = process.argv.slice(2);
const say = (what: object): void => void process.stdout.write(`${JSON.stringify(what)}\n`);

if (how === 'cluster' && cluster.isPrimary) {
  for (let i = 0; i < 3; i++) cluster.fork();
} else {
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  const shift = {
    start: ({ token }: { token: bigint }) => say({ pid: process.pid, began: `${token}` }),
    stop: ({ cause }: { cause: string }) => say({ pid: process.pid, ended: cause }),
  };
  await onlyLeader('nightly', shift, { folder: folder!, signal: stop.signal });
  process.exit();
}
