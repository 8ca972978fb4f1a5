import { BadInput, show } from '../../core/index.ts';

/** The keys of an election in Redis. The braces put all of them into one slot. */
export interface Layout {
  readonly keys: readonly [lease: string, fence: string, value: string];
  readonly channel: string;
}

export function layoutOf(prefix: string, election: string): Layout {
  const stem = `${prefix}{${election}}`;
  return { keys: [`${stem}:lease`, `${stem}:fence`, `${stem}:value`], channel: stem };
}

export function checkName(election: string): void {
  const isFit = typeof election === 'string' && !/[\p{Cc}\p{Cs}{}]/u.test(election);
  if (isFit && election !== '' && Buffer.byteLength(election) <= 1000) return;
  const expected = 'a name of 1 to 1000 bytes without control characters and braces';
  throw new BadInput('election', expected, show(election));
}

export function checkPrefix(prefix: string): string {
  const isFit = typeof prefix === 'string' && !/[\p{Cc}\p{Cs}{}]/u.test(prefix);
  if (isFit && Buffer.byteLength(prefix) <= 1000) return prefix;
  const expected = 'a text of at most 1000 bytes without control characters and braces';
  throw new BadInput('keyPrefix', expected, show(prefix));
}
