/** The dashboard of a cluster with hundreds of elections, in a real browser. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UpCluster } from '../cli/up-cluster.ts';
import { axe, Browsing, missingBrowser } from '../support/browser.ts';

const COUNT = 300;
const ALL = `All ${COUNT + 1} elections have a leader`;
/** So many elections have to be elected, and on a busy machine again. */
const LONG_MS = 180_000;

const heading = (page: Page, name: string | RegExp): Locator => page.getByRole('heading', { name });
const bars = (page: Page): Locator => page.getByRole('list', { name: 'Who leads how many' });

/** How many each member leads, as the page shows it; the last number is that of elections without a leader. */
async function shares(page: Page): Promise<number[]> {
  const texts = await bars(page).getByRole('button').allTextContents();
  return texts.map((text) => Number(/\d+$/.exec(text.trim())![0]));
}

describe.skipIf(missingBrowser !== null)(`a dashboard of many elections ${missingBrowser ?? ''}`, () => {
  let browsing: Browsing;
  let cluster: UpCluster;
  beforeAll(async () => {
    browsing = await Browsing.start();
    // A machine that is busy with a browser takes no lead away at these times.
    const times = ['--timing', 'timeoutMs=[9000,12000]'];
    cluster = new UpCluster(['--members', '3', '--chaos', '--elections', String(COUNT), ...times]);
    await cluster.seen(({ event, led }) => event === 'progress' && led === COUNT);
  }, LONG_MS);
  afterAll(async () => {
    try {
      await browsing.close();
    } finally {
      await cluster.stop();
    }
  });

  it('finds one of them, by name and by leader, shows it, and counts again after a leader was killed', {
    timeout: LONG_MS,
  }, async () => {
    const page = await browsing.open(await cluster.pageWithToken(), { except: /503/ });
    page.setDefaultTimeout(LONG_MS);
    await heading(page, ALL).waitFor();
    const before = await shares(page);
    expect(before).toHaveLength(4);
    expect(before.reduce((sum, each) => sum + each)).toBe(COUNT + 1);
    // Only one page of them is there.
    const rows = page.getByRole('table', { name: /^Elections/ }).getByRole('row');
    expect(await rows.count()).toBe(21);
    expect(await axe(page)).toEqual([]);

    const found = page.getByRole('status').filter({ hasText: / of |None fits/ });
    await page.getByRole('button', { name: 'Next' }).press('Enter');
    await found.filter({ hasText: `21–40 of ${COUNT + 1}` }).waitFor();
    const search = page.getByLabel('Search by name');
    await search.fill('JOB-012');
    await found.filter({ hasText: '1–10 of 10' }).waitFor();
    await search.fill('no such election');
    await found.filter({ hasText: 'None fits' }).waitFor();
    await search.fill('');
    const leaderless = bars(page).getByRole('button', { name: /^No leader/ });
    await leaderless.press('Enter');
    await page
      .getByRole('status')
      .filter({ hasText: /^\s*Each has a leader\s*$/ })
      .waitFor();
    await leaderless.press('Enter');
    const most = before.indexOf(Math.max(...before)) + 1;
    await bars(page)
      .getByRole('button', { name: `Member ${most} leads` })
      .press('Enter');
    await found.filter({ hasText: `, led by ${most}` }).waitFor();
    const leaders = await rows.locator('td:nth-child(2)').allTextContents();
    expect(leaders).toHaveLength(Math.min(20, before[most - 1]!));
    for (const leader of leaders) expect(leader.trim()).toBe(`♛ ${most}`);
    await bars(page)
      .getByRole('button', { name: `Member ${most} leads` })
      .press('Enter');

    await search.fill('job-0123');
    await page.getByRole('button', { name: 'job-0123', exact: true }).last().press('Enter');
    await heading(page, /^Member \d leads$/).waitFor();
    await page.locator('dd', { hasText: 'job-0123' }).waitFor();
    // The state and the members are those of one process, the leader of this election, also if it does not lead main.
    const leader = /\d/.exec((await heading(page, /^Member \d leads$/).textContent())!)![0];
    await page.locator('dd', { hasText: `member ${leader}` }).waitFor();
    await page
      .getByRole('row')
      .filter({ hasText: 'answers this page' })
      .filter({ hasText: new RegExp(`^\\s*${leader}\\b`) })
      .waitFor();
    expect(await axe(page)).toEqual([]);
    // What had the focus is gone, and the way back has it.
    await page.keyboard.press('Enter');
    await heading(page, ALL).waitFor();
    expect(await search.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    await page.goBack();
    await heading(page, /^Member \d leads$/).waitFor();
    await page.goBack();
    await heading(page, ALL).waitFor();

    await page.getByRole('button', { name: `Kill -9 member ${most}` }).click();
    await bars(page)
      .getByRole('button', { name: `Member ${most} leads 0` })
      .waitFor();
    await heading(page, ALL).waitFor();
    const after = await shares(page);
    expect(after[most - 1]).toBe(0);
    expect(after.reduce((sum, each) => sum + each)).toBe(COUNT + 1);
    const changes = page.getByRole('region', { name: 'Last changes' });
    await changes
      .getByText(/^\d+ elections$/)
      .first()
      .waitFor();
    await changes.getByText('Elected').first().waitFor();
    expect(await axe(page)).toEqual([]);
  });

  it('asks little, and sends a list again only if it has changed', { timeout: LONG_MS }, async () => {
    const url = await cluster.pageUrl();
    const page = await browsing.open(url, { viewport: { width: 400, height: 800 }, except: /503/ });
    page.setDefaultTimeout(LONG_MS);
    const asked = new Map<string, number[]>();
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      asked.set(pathname, [...(asked.get(pathname) ?? []), response.status()]);
    });
    await page.reload();
    await heading(page, /301 elections/).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
    // One round of questions; a second may have begun.
    for (const path of ['/elections', '/changes', '/status', '/cluster'])
      expect([path, asked.get(path)!.length]).toEqual([path, expect.toBeOneOf([1, 2])]);
    expect(asked.has('/history')).toBe(false);
    while (!asked.get('/elections')!.includes(304)) await page.waitForResponse(/\/elections$/);
  });
});
