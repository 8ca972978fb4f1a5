import { readFileSync } from 'node:fs';

let known: string | null = null;

/** The release of caucus; `unknown` in a bundle, where its package.json is not beside it. */
export function release(): string {
  known ??= readRelease();
  return known;
}

function readRelease(): string {
  try {
    // Two folders up, from the source and from the compiled code.
    const file = new URL('../../package.json', import.meta.url);
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as {
      name?: unknown;
      version?: unknown;
    };
    return name === 'caucus' && typeof version === 'string' ? version : 'unknown';
  } catch {
    return 'unknown';
  }
}
