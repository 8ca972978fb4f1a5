import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const APT_GET = '/usr/bin/apt-get';
const LONGEST_INSTALL_MS = 300_000;

/** Why these packages of Debian are not there, for a test that then has to be skipped in so many words, or null. */
export function ensureDebian(packages: readonly string[]): string | null {
  const missing = packages.filter((name) => !isInstalled(name));
  if (missing.length === 0) return null;
  return `${missing.join(' ')}: not installed`;
}

/** Whether there is this to test with. Where there must be, it is an error that there is not. */
export function hasDebian(what: string, packages: readonly string[]): boolean {
  const missing = ensureDebian(packages);
  if (missing === null) return true;
  if (process.env.CI) throw new Error(missing);
  process.stderr.write(`SKIPPED, no ${what} to test with: ${missing}\n`);
  return false;
}

/** Installs what is missing, where we may. Returns why it could not, or null. */
export function installDebian(packages: readonly string[]): string | null {
  const missing = packages.filter((name) => !isInstalled(name));
  if (missing.length === 0) return null;
  const names = missing.join(' ');
  if (!existsSync(APT_GET)) return `${names}: not installed, and this is no Debian`;
  if (process.getuid?.() !== 0) return `${names}: not installed, and only root may install it`;
  process.stderr.write(`installing ${names}\n`);
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const options = { env, stdio: 'ignore', timeout: LONGEST_INSTALL_MS } as const;
    execFileSync(APT_GET, ['update'], options);
    execFileSync(APT_GET, ['install', '-y', '--no-install-recommends', ...missing], options);
  } catch (error) {
    return `${names}: apt-get could not install it (${error instanceof Error ? error.message : error})`;
  }
  return null;
}

function isInstalled(name: string): boolean {
  try {
    const told = execFileSync('/usr/bin/dpkg', ['-s', name], { stdio: ['ignore', 'pipe', 'ignore'] });
    return String(told).includes('Status: install ok installed');
  } catch {
    return false;
  }
}
