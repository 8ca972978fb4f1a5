import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(import.meta.dirname, '../../..');

/** Runs an example to its end, and returns what it printed. */
export async function runExample(name: string, ...args: string[]): Promise<string> {
  const file = path.join(root, 'examples/adapters', name);
  const run = promisify(execFile)(process.execPath, ['--import', 'tsx', file, ...args], {
    cwd: root,
    timeout: 60_000,
  });
  return (await run).stdout;
}
