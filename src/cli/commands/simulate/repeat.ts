import type { SimulateFlags } from './flags.ts';

/** The command that shows one seed of the run, to be pasted into a shell. */
export function repeatCommand(file: string | undefined, flags: SimulateFlags, seed: number): string {
  const { protocol, members, until } = flags;
  // A pasted command must not wait for standard input.
  const parts = [`${file === '-' ? 'the same input | ' : ''}npx caucus simulate`];
  if (file !== undefined) parts.push(quoted(file));
  if (protocol !== undefined) parts.push(`--protocol ${quoted(protocol)}`);
  if (members !== undefined) parts.push(`--members ${quoted(members)}`);
  if (until !== undefined) parts.push(`--until ${quoted(until)}`);
  parts.push(`--seed ${seed}`);
  return parts.join(' ');
}

export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
