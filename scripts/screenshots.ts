/** `npm run screenshots`: the pictures of the README and the docs, from the page as it was built. */
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { newRun } from '../playground/src/game/run/presets.ts';
import { encodeShare } from '../playground/src/game/run/share.ts';
import { Timeline } from '../playground/src/game/run/timeline.ts';
import { UpCluster } from '../test/cli/up-cluster.ts';
import { Browsing } from '../test/support/browser.ts';
import { PlayServer } from '../test/support/play-server.ts';

const IMAGES = fileURLToPath(new URL('../docs/images/', import.meta.url));
const WIDE: BrowserContextOptions = { viewport: { width: 1400, height: 920 } };
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 800 }, hasTouch: true };

const browsing = await Browsing.start();
const server = await PlayServer.start();
try {
  const link = await twoLeaders();
  await take('playground', link, { ...WIDE, colorScheme: 'light' });
  await take('playground-dark', link, { ...WIDE, colorScheme: 'dark' }, (page) => press(page, 'Show cause'));
  await take('playground-phone', link, { ...PHONE, colorScheme: 'light' });
  await take('gallery', '', { ...WIDE, colorScheme: 'light' }, (page) => press(page, 'Gallery'));
  await take('race', '', { ...WIDE, colorScheme: 'dark' }, async (page) => {
    await press(page, 'Race');
    await page.waitForTimeout(6000);
  });
  await dashboard();
} finally {
  await browsing.close();
  await server.stop();
}

/** A run of epoch, five members, one link cut, a moment after there are two leaders. */
async function twoLeaders(): Promise<string> {
  const timeline = new Timeline(newRun('epoch', 5, 13));
  while (timeline.world.leaders.length === 0) timeline.next();
  timeline.extendTo(timeline.headMs + 1500);
  const leader = timeline.world.leaders[0]!;
  const other = timeline.history.members.find((id) => id !== leader)!;
  timeline.act([{ do: 'cut', from: leader, to: other }]);
  while (timeline.world.leaders.length < 2) timeline.next();
  timeline.extendTo(timeline.headMs + 1130);
  const { headMs } = timeline;
  return `#${await encodeShare({ run: timeline.runUpTo(headMs), atMs: headMs })}`;
}

async function take(
  name: string,
  address: string,
  options: BrowserContextOptions,
  prepare: (page: Page) => Promise<void> = async () => {},
): Promise<void> {
  const page = await browsing.open(`${server.url}${address}`, options);
  await page
    .getByRole('button', { name: /leader, / })
    .first()
    .waitFor();
  await prepare(page);
  await shoot(page, name);
}

async function shoot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${IMAGES}${name}.png` });
  await page.context().close();
  process.stdout.write(`docs/images/${name}.png\n`);
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}

/** A real cluster after a failover. */
async function dashboard(): Promise<void> {
  const cluster = new UpCluster(['--members', '5', '--chaos']);
  try {
    const page = await browsing.open(await cluster.pageUrl(), { ...WIDE, colorScheme: 'light' });
    const leads = page.getByRole('heading', { name: /^Member \d+ leads$/ });
    const first = /\d+/.exec((await leads.textContent())!)![0];
    await page.getByRole('button', { name: `Kill -9 member ${first}` }).click();
    await page.getByRole('heading', { name: new RegExp(`^Member (?!${first} )\\d+ leads$`) }).waitFor();
    await page.getByText(`${first} does not answer`).first().waitFor();
    await shoot(page, 'dashboard');
  } finally {
    await cluster.stop();
  }
}
