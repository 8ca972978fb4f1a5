/**
 * Lint, types and build side by side: each of them leaves a core idle for part of its time. What one of them says is printed
 * when it has ended, so that nothing is mixed, and all are heard before the first failure ends this.
 */
import { spawn } from 'node:child_process';

const NAMES = ['lint', 'types', 'build'];

const results = await Promise.all(NAMES.map(run));
process.exitCode = results.every((code) => code === 0) ? 0 : 1;

function run(name) {
  const child = spawn('npm', ['run', name], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      process.stdout.write(said);
      if (code !== 0) process.stdout.write(`npm run ${name} failed\n`);
      resolve(code);
    });
  });
}
