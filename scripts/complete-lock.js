/**
 * Completes package-lock.json after a dependency was added or moved.
 *
 * npm leaves an optional package for another platform out of the lock when the registry it asked does not hold that
 * package, and then `npm ci` refuses the lock as incomplete. This writes the missing entries from what the lock itself names.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const PROCESSORS = [
  'arm',
  'arm64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
];

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
for (const [where, entry] of Object.entries({ ...lock.packages })) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const path = `node_modules/${name}`;
    if (lock.packages[path] || lock.packages[`${where}/${path}`]) continue;
    const words = name.split('/').at(-1).split('-');
    const os = SYSTEMS.filter((system) => words.includes(system));
    const cpu = PROCESSORS.filter((processor) => words.includes(processor));
    const musl = words.some((word) => word.startsWith('musl'));
    const glibc = words.some((word) => word.startsWith('gnu'));
    lock.packages[path] = {
      version: version.replace(/^[\^~]/, ''),
      ...(cpu.length > 0 && { cpu }),
      ...(entry.dev && { dev: true }),
      ...((musl || glibc) && { libc: [musl ? 'musl' : 'glibc'] }),
      optional: true,
      ...(os.length > 0 && { os }),
    };
    process.stdout.write(`added ${name} ${version}\n`);
  }
}
const byPath = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(
  'package-lock.json',
  `${JSON.stringify({ ...lock, packages: Object.fromEntries(byPath) }, null, 2)}\n`,
);
