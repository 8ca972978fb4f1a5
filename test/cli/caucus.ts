import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { HERE, type Place } from '../support/ground.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const MAIN: string = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the real command, as it was built, or a program of a test that uses it. */
export function start(
  args: readonly string[],
  program: string = MAIN,
  env: NodeJS.ProcessEnv = {},
  place: Place = HERE,
): ChildProcess {
  if (!existsSync(MAIN)) throw new Error('dist/cli/main.js is missing: run "npm run build" first');
  return place.spawn([process.execPath, program, ...args], {
    cwd: ROOT,
    env: { ...process.env, COLUMNS: '80', ...env },
  });
}

export function end(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout!.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** Runs the command to its end, with `input` on its standard input. */
export function caucus(args: readonly string[], input = ''): Promise<Ended> {
  const child = start(args);
  const ended = end(child);
  child.stdin!.on('error', () => {}); // It may stop reading before everything is written.
  child.stdin!.end(input);
  return ended;
}

/** Runs a scenario from standard input and reads what `--json` prints. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at whatever was printed.
export async function simulateJson(scenario: object, ...args: readonly string[]): Promise<any> {
  const { code, stdout, stderr } = await caucus(
    ['simulate', '-', '--json', ...args],
    JSON.stringify(scenario),
  );
  if (code !== 0) throw new Error(`exit ${code}: ${stderr}`);
  return JSON.parse(stdout);
}
