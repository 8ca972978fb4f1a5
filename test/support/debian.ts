import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const APT_GET = '/usr/bin/apt-get';

/**
 * Makes sure that these packages of Debian are installed, where we may install them. Returns why they are not there, for a test
 * that then has to be skipped in so many words, or null.
 */
export function ensureDebian(packages: readonly string[]): string | null {
  const missing = packages.filter((name) => !isInstalled(name));
  if (missing.length === 0) return null;
  const names = missing.join(' ');
  if (!existsSync(APT_GET)) return `${names}: not installed, and this is no Debian`;
  if (process.getuid?.() !== 0) return `${names}: not installed, and only root may install it`;
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const options = { env, stdio: 'ignore', timeout: 100_000 } as const;
    execFileSync(APT_GET, ['install', '-y', '--no-install-recommends', ...missing], options);
  } catch (error) {
    return `${names}: apt-get could not install it (${error instanceof Error ? error.message : error})`;
  }
  return null;
}

function isInstalled(name: string): boolean {
  try {
    execFileSync('/usr/bin/dpkg', ['-s', name], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
