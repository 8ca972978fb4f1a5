/**
 * Every file in test/traces is a scenario, a line of dashes, and the history it must give, in words. After a
 * change that is meant to alter histories, `REWRITE=1 npx vitest run test/traces.test.ts` writes them anew, and
 * the difference is what gets reviewed.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { narrate } from '../src/story/index.ts';
import { play } from './support/play.ts';

const folder = new URL('./traces/', import.meta.url);
const rule = '\n----\n';

describe('the history of', () => {
  for (const name of readdirSync(folder)) {
    it(name, () => {
      const file = new URL(name, folder);
      const [scenario, expected] = readFileSync(file, 'utf8').split(rule);
      const lines: string[] = [];
      play(JSON.parse(scenario!), 1, {
        trace: (line) => {
          const words = narrate(line);
          if (words !== null && 'atMs' in line) lines.push(`${line.atMs.toFixed(3).padStart(9)}  ${words}`);
        },
      });
      const history = `${lines.join('\n')}\n`;
      if (process.env.REWRITE === '1') writeFileSync(file, `${scenario}${rule}${history}`);
      else expect(history).toBe(expected);
    });
  }
});
