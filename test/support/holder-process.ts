/**
 * A process that leads many elections on a store: `holder-process.ts PLAN`. It says which it leads, and answers to lines on its
 * standard input: `count` is answered with how many of its leaderships are valid at that moment.
 */
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import type { Leadership } from '../../src/election/index.ts';

export interface HolderPlan {
  readonly url: string;
  readonly options: object;
  readonly elections: readonly string[];
  /** The folder of the build to use; null for what is being tested. */
  readonly build: string | null;
}

export type HolderSaid =
  | { readonly is: 'leading'; readonly tokens: Readonly<Record<string, string>> }
  | { readonly is: 'counted'; readonly valid: number; readonly cpuMs: number }
  | { readonly is: 'ended'; readonly election: string; readonly cause: string };

const plan = JSON.parse(process.argv[2]!) as HolderPlan;
const say = (said: HolderSaid): void => void process.stdout.write(`${JSON.stringify(said)}\n`);

async function load(): Promise<{
  Election: typeof import('../../src/election/index.ts').Election;
  openEngine: typeof import('../../src/engines/open.ts').openEngine;
}> {
  const { build } = plan;
  if (build === null) {
    const [{ Election }, { openEngine }] = await Promise.all([
      import('../../src/election/index.ts'),
      import('../../src/engines/open.ts'),
    ]);
    return { Election, openEngine };
  }
  const from = (file: string): string => pathToFileURL(path.join(build, 'dist', file)).href;
  const [{ Election }, { openEngine }] = await Promise.all([
    import(/* @vite-ignore */ from('election/index.js')),
    import(/* @vite-ignore */ from('engines/open.js')),
  ]);
  return { Election, openEngine };
}

const { Election, openEngine } = await load();
const engine = await openEngine(plan.url, plan.options);
const leaderships = new Map<string, Leadership>();
await Promise.all(
  plan.elections.map(async (name) => {
    const leadership = await new Election(name, engine).campaign();
    leaderships.set(name, leadership);
    leadership.signal.addEventListener('abort', () => {
      say({ is: 'ended', election: name, cause: leadership.lost?.cause ?? '' });
    });
  }),
);
say({
  is: 'leading',
  tokens: Object.fromEntries([...leaderships].map(([name, { token }]) => [name, String(token)])),
});

createInterface({ input: process.stdin })
  .on('line', () => {
    const valid = [...leaderships.values()].filter((each) => each.isValid()).length;
    const { user, system } = process.cpuUsage();
    say({ is: 'counted', valid, cpuMs: (user + system) / 1000 });
  })
  .on('close', () => process.exit(0));
