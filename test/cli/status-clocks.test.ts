/** What `caucus status` says of the clocks of members, on real processes of which one has another time of day. */
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { freePorts } from '../support/free-ports.ts';
import { caucus, start } from './caucus.ts';

const SHIFT = fileURLToPath(new URL('../support/clock-shift.cjs', import.meta.url));
const children: ChildProcess[] = [];

afterEach(async () => {
  await Promise.all(
    children.splice(0).map((child) => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      return gone;
    }),
  );
});

/** Two members; the clock of b is ahead by so much. Their URLs, once there is a leader. */
async function twoMembers(aheadMs: number): Promise<string[]> {
  const ports = await freePorts(2);
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const peers = `a=${urls[0]},b=${urls[1]}`;
  const env = { NODE_OPTIONS: `--require ${SHIFT}`, CLOCK_SHIFT_MS: String(aheadMs) };
  const members = [
    start(['node', '--id', 'a', '--peers', peers, '--json']),
    start(['node', '--id', 'b', '--peers', peers, '--json'], undefined, env),
  ];
  children.push(...members);
  await Promise.race(
    members.map(async (child) => {
      for await (const line of createInterface({ input: child.stdout! }))
        if (JSON.parse(line).event === 'acting') return;
    }),
  );
  return urls;
}

/** What `caucus status` prints once both members have answered: on a busy machine one may be too late. */
async function status(urls: readonly string[], ...flags: string[]): Promise<string> {
  for (;;) {
    const { stdout } = await caucus(['status', ...flags, ...urls]);
    if (!stdout.includes('no answer in time')) return stdout;
  }
}

it('tells clocks that differ, and by how much', async () => {
  const urls = await twoMembers(90_000);
  const stdout = await status(urls);
  expect(stdout).toMatch(/\n\nthe clocks differ: that of b is (8|9)\d\.\d s ahead of that of a\n$/);
  const { members } = JSON.parse(await status(urls, '--json'));
  const [a, b] = members.map(({ clock }: { clock: { aheadMs: number } }) => clock.aheadMs);
  expect(b - a).toBeGreaterThan(85_000);
  const metrics = await (await fetch(`${urls[1]}/metrics`)).text();
  const seconds = Number(/^caucus_time_seconds (\S+)$/m.exec(metrics)?.[1]);
  expect(seconds - Date.now() / 1000).toBeGreaterThan(85);
});

it('says nothing of clocks that agree', async () => {
  expect(await status(await twoMembers(0))).not.toContain('clock');
});
