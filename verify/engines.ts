/** `npm run verify:engines`: harms every store, and writes docs/engines/safety.md: what came of each fault. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Site } from '../test/engines/safety/site.ts';
import { sites } from '../test/engines/safety/sites.ts';
import { faults, type Trial, tryFault } from '../test/engines/safety/trials.ts';
import { say } from './say.ts';

const file: string = path.resolve(import.meta.dirname, '..', 'docs', 'engines', 'safety.md');

type Result = Trial | { readonly excuse: string };

const table = new Map<string, Map<string, Result>>();
let isBroken = false;
for (const [name, open] of Object.entries(sites)) {
  const site: Site = await open();
  const column = new Map<string, Result>();
  try {
    for (const fault of faults) {
      const excuse = fault.excuse?.(site) ?? null;
      const result = excuse === null ? await tryFault(fault, site, { leaseMs: site.leaseMs }) : { excuse };
      column.set(fault.name, result);
      if ('faults' in result && result.faults.length > 0) isBroken = true;
      say(`${name}, ${fault.name}: ${cellOf(result)}`);
    }
  } finally {
    await site.close();
  }
  table.set(site.ports === null ? name : `${name} (${site.leaseMs / 1000} s)`, column);
}
writeFileSync(file, pageOf());
if (isBroken) process.exitCode = 1;

function cellOf(result: Result): string {
  if ('excuse' in result) return result.excuse;
  if (result.faults.length > 0) return `**${result.faults.join('; ')}**`;
  const double = result.doubleMs > 0 ? `, two for ${result.doubleMs.toFixed(1)} ms` : '';
  return `${(result.darkMs / 1000).toFixed(1)} s${double}`;
}

function pageOf(): string {
  const names = [...table.keys()];
  const rows = faults.map(
    ({ name }) => `| ${name} | ${names.map((each) => cellOf(table.get(each)!.get(name)!)).join(' | ')} |`,
  );
  return `# Engines that were harmed

Three processes stand for one election on a real server, each with a connection of its own; one of them leads when the fault comes. Every process
asks again and again whether it may act, and writes down the answer with the time, by the clock that all processes of a machine share.

Each cell is a trial in which at no moment two of them were told that they may act, no token was given twice, a newer leader always had the greater one,
and in the end every process that was left had led again. It shows how long it took from the fault until a process was told that it may act with a
newer token (or, where the old one may stay, until it was told again). The lease is beside the name. A trial that went wrong would be in **bold**, in words.

| fault | ${names.join(' | ')} |
|---|${names.map(() => '---').join('|')}|
${rows.join('\n')}

Deleting what a leader holds is beyond what any engine promises: the next one may begin before the old one has heard of it. Where that was seen, the
cell says for how long.

Kubernetes here is an API server of our own that enforces what the real one does (versions, conflicts, validation, watches): see [kubernetes](kubernetes.md).
On \`caucus\` the server is three members: all of them are restarted, down or stopped at once, so that they have to elect a lease manager again, which lets every lease run for its whole length.
The wall clock is moved in one process: it looks like a sleep of the machine, and so costs that process its leadership.

This page is written by \`npm run verify:engines\`; \`npm test\` makes the same trials.
`;
}
