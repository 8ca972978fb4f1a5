/** The page in headless Chromium: how large it is, how smoothly it plays, what it costs while it stands still. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { newRun } from '../playground/src/game/run/presets.ts';
import { encodeShare } from '../playground/src/game/run/share.ts';
import { Browsing, missingBrowser } from '../test/support/browser.ts';
import { PlayServer } from '../test/support/play-server.ts';
import { printTable } from './table.ts';

const ASSETS = fileURLToPath(new URL('../dist/playground/assets/', import.meta.url));
const PLAY_MS = 5000;

type Figure = readonly [what: string, aim: string, measured: string];

export async function benchPage(): Promise<void> {
  if (missingBrowser !== null) return void process.stdout.write(`\npage: skipped, ${missingBrowser}\n`);
  const server = await PlayServer.start();
  const browsing = await Browsing.start();
  try {
    const figures = [
      ...(await size(browsing, server.url)),
      await pictures(browsing, server.url),
      await seeking(browsing, server.url),
      await standing(browsing, server.url),
    ];
    const rows = figures.map(([what, aim, measured]) => ({ what, aim, measured }));
    printTable('the playground in headless Chromium', rows);
  } finally {
    await browsing.close();
    await server.stop();
  }
}

/** What a visitor loads who plays, and all there is. */
async function size(browsing: Browsing, url: string): Promise<Figure[]> {
  const zipped = new Map(
    readdirSync(ASSETS)
      .filter((name) => name.endsWith('.js'))
      .map((name) => [name, gzipSync(readFileSync(`${ASSETS}${name}`), { level: 9 }).length]),
  );
  const page = await browsing.open(url);
  await page.getByRole('button', { name: /leader, / }).waitFor();
  const loaded = await page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) => name.split('/').at(-1)!),
  );
  await page.context().close();
  const sum = (names: readonly string[]): string =>
    `${(names.reduce((bytes, name) => bytes + (zipped.get(name) ?? 0), 0) / 1000).toFixed(1)} KB`;
  return [
    ['JavaScript of the playground, gzipped', '120 KB', sum(loaded)],
    ['all JavaScript, with race, files, dashboard and workers', '', sum([...zipped.keys()])],
  ];
}

/** All of 100 members tell all others every two seconds that they live: some two thousand messages are always in the air. */
async function pictures(browsing: Browsing, url: string): Promise<Figure> {
  const run = { ...newRun('draw', 100, 1), network: { latencyMs: [300, 500] }, untilMs: 6000 };
  const page = await browsing.open(`${url}#${await encodeShare({ run, atMs: 6000 })}`);
  await prepare(page);
  await play(page);
  const counted = await page.evaluate(
    (forMs) =>
      new Promise<number>((resolve) => {
        const fromMs = performance.now();
        let pictures = 0;
        requestAnimationFrame(function next(nowMs) {
          pictures += 1;
          if (nowMs - fromMs < forMs) requestAnimationFrame(next);
          else resolve(pictures / ((nowMs - fromMs) / 1000));
        });
      }),
    PLAY_MS,
  );
  await page.context().close();
  return ['pictures a second, 100 members, about 2,000 messages in the air', '30', counted.toFixed(0)];
}

/** From the key to the picture, to and fro over a minute of 25 members. */
async function seeking(browsing: Browsing, url: string): Promise<Figure> {
  const run = { ...newRun('quorum', 25, 1), untilMs: 60_000 };
  const page = await browsing.open(`${url}#${await encodeShare({ run, atMs: 0 })}`);
  await prepare(page);
  await page.getByRole('slider', { name: 'Time' }).focus();
  const times = await page.evaluate(async () => {
    const picture = (): Promise<void> =>
      new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    const taken: number[] = [];
    for (let i = 0; i < 40; i++) {
      const fromMs = performance.now();
      const key = i % 2 === 0 ? 'End' : 'Home';
      document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      await picture();
      taken.push(performance.now() - fromMs);
    }
    return taken.sort((a, b) => a - b);
  });
  await page.context().close();
  return [
    'ms for a jump in time, 25 members, one minute: p50, p95',
    '100',
    `${times[20]!.toFixed(0)}, ${times[38]!.toFixed(0)}`,
  ];
}

async function standing(browsing: Browsing, url: string): Promise<Figure> {
  const page = await browsing.open(url);
  await page.getByRole('button', { name: /leader, / }).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const busyMs = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000;
  };
  await page.waitForTimeout(500);
  const fromMs = await busyMs();
  await page.waitForTimeout(PLAY_MS);
  const share = ((await busyMs()) - fromMs) / PLAY_MS;
  await page.context().close();
  return ['processor while paused', 'none', `${(share * 100).toFixed(2)} %`];
}

/** What runs in the page was compiled for here, where functions are given their names by a helper. */
async function prepare(page: Page): Promise<void> {
  await page.evaluate('globalThis.__name = (named) => named');
}

async function play(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Play' }).click();
}
