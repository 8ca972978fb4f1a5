/** Builds the package if it was not built yet: a script that npm runs at each installation would also be run by its users. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const built = new URL('../dist/cli/main.js', import.meta.url);
if (!existsSync(built)) execFileSync('npm', ['run', 'build'], { stdio: 'inherit' });
