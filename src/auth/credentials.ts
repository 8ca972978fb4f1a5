/** Secrets, keys and certificates from files: the only place of this room that reads any. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { BadInput } from '../core/index.ts';

/** Larger than any chain of certificates in use. */
const LARGEST = 1024 * 1024;
const GROUP_AND_OTHERS = 0o077;

/**
 * The secrets in a file: one on each line, the first of which is used; empty lines and lines that begin with # are ignored. Only
 * its owner may have access to the file. `path` is the option or flag that names the file.
 */
export function readSecretFile(file: string, path: string): readonly string[] {
  const secrets = readPrivateFile(file, path)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (secrets.length === 0) {
    throw new BadInput(path, `a secret in ${file}, one on each line`, 'none');
  }
  return secrets;
}

/** A file that only its owner may read, such as a private key. */
export function readPrivateFile(file: string, path: string): string {
  return readText(file, path, (mode) => {
    if ((mode & GROUP_AND_OTHERS) === 0) return;
    const found = `mode ${(mode & 0o7777).toString(8).padStart(4, '0')}`;
    throw new BadInput(path, `${file} with access for its owner only (chmod 600 ${file})`, found);
  });
}

/** A file that others may read too, such as a certificate. */
export function readPublicFile(file: string, path: string): string {
  return readText(file, path, () => {});
}

/** The mode is that of the very file that is read. */
function readText(file: string, path: string, checkMode: (mode: number) => void): string {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.size > LARGEST) {
      throw new BadInput(path, `a file of at most ${LARGEST} bytes`, `${file}, which is none`);
    }
    checkMode(stat.mode);
    return readFileSync(descriptor, 'utf8');
  } catch (error) {
    if (error instanceof BadInput) throw error;
    throw new BadInput(
      path,
      'a file that can be read',
      `${file}: ${wordsOf(error as NodeJS.ErrnoException)}`,
    );
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

function wordsOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'this user may not read it';
  return message;
}
