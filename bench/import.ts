/** How long `import 'caucus'` takes, and what the first member and the first engine load besides, in processes of their own. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { printTable } from './table.ts';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const TRIALS = 15;
const AIM_MS = 60;

interface Program {
  readonly what: string;
  /** Is run before the clock starts. */
  readonly before?: string;
  readonly measured: string;
  readonly aimMs?: number;
}

const caucus = `await import('${DIST}index.js')`;
const PROGRAMS: readonly Program[] = [
  { what: 'nothing (node -e 0)', measured: '' },
  { what: "import 'node:http'", measured: "await import('node:http')" },
  { what: "import 'caucus'", measured: caucus, aimMs: AIM_MS },
  { what: 'then the first join()', before: `const c = ${caucus};`, measured: 'm = await c.join({ id: 1 })' },
  {
    what: "then openEngine('local:') first",
    before: `const c = ${caucus};`,
    measured: "m = await c.openEngine('local:/tmp')",
  },
  { what: "import 'caucus/protocols'", measured: `await import('${DIST}protocols/index.js')` },
  { what: "import 'caucus/simulation'", measured: `await import('${DIST}simulation/index.js')` },
];

/** Milliseconds of the statement, and of the whole process. */
function run({ before = '', measured }: Program): { readonly ms: number; readonly wholeMs: number } {
  const program = `let m; ${before} const atMs = performance.now(); ${measured};
    process.stdout.write(String(performance.now() - atMs)); await m?.close();`;
  const beganMs = performance.now();
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  return { ms: Number(printed), wholeMs: performance.now() - beganMs };
}

function median(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)]!;
}

/** All take turns, so that a busy minute slows each of them alike. */
export function benchImport(): void {
  const times = PROGRAMS.map(() => ({ ms: [] as number[], wholeMs: [] as number[] }));
  for (let trial = 0; trial < TRIALS; trial++)
    for (const [i, program] of PROGRAMS.entries()) {
      const { ms, wholeMs } = run(program);
      times[i]!.ms.push(ms);
      times[i]!.wholeMs.push(wholeMs);
    }
  for (const { ms, wholeMs } of times) for (const list of [ms, wholeMs]) list.sort((a, b) => a - b);
  const floorMs = median(times[0]!.wholeMs);
  const httpMs = median(times[1]!.ms);
  const rows = PROGRAMS.map(({ what, aimMs }, i) => {
    const { ms, wholeMs } = times[i]!;
    return {
      what,
      'least ms': ms[0]!.toFixed(1),
      'median ms': median(ms).toFixed(1),
      aim: aimMs === undefined ? '' : String(aimMs),
      '× node:http': i === 0 ? '' : (median(ms) / httpMs).toFixed(1),
      'whole process, × node -e 0': (median(wholeMs) / floorMs).toFixed(2),
    };
  });
  printTable(`import, ${TRIALS} processes each, in turns`, rows);
}
