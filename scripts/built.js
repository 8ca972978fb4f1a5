/**
 * Builds the package if it was not built since its sources changed. npm runs this before `start` and `demo`: a script that
 * it runs at each installation would also be run by users of the package.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const changedMs = (file) => statSync(`${root}/${file}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const filesIn = (folder) =>
  readdirSync(`${root}/${folder}`, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath ?? entry.path}/${entry.name}`.slice(root.length));
const sources = [...filesIn('src'), ...filesIn('playground/src'), 'package-lock.json'];
if (Math.max(...sources.map(changedMs)) > changedMs('dist/cli/main.js'))
  execFileSync('npm', ['run', 'build'], { stdio: 'inherit', cwd: root });
