/** The dashboard of a real cluster in a real browser. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { standFor } from '../../src/cli/commands/node/standing.ts';
import { join, type Member } from '../../src/member/index.ts';
import { isActing, UpCluster } from '../cli/up-cluster.ts';
import { axe, Browsing, missingBrowser } from '../support/browser.ts';

const leads = (page: Page): Locator => page.getByRole('heading', { name: /^Member \d+ leads$/ });
const hasFocus = (button: Locator): Promise<boolean> =>
  button.evaluate((element) => element === element.ownerDocument.activeElement);
const idIn = (text: string | null): string => /\d+/.exec(text!)![0];
const figure = (page: Page, name: string): Locator =>
  page.locator('dt', { hasText: name }).locator('xpath=../dd');

/** Settles when so many listen to this member. */
async function watchers(url: string, count: number): Promise<void> {
  let metrics = '';
  do metrics = await (await fetch(`${url}/metrics`)).text();
  while (!metrics.includes(`caucus_watchers ${count}\n`));
}

describe.skipIf(missingBrowser !== null)(`the dashboard ${missingBrowser ?? ''}`, () => {
  let browsing: Browsing;
  let cluster: UpCluster;
  beforeAll(async () => {
    browsing = await Browsing.start();
  });
  afterAll(() => browsing.close());
  afterEach(async () => {
    try {
      await browsing.check();
    } finally {
      await cluster.stop();
    }
  });

  it('shows who leads, kills it at the press of a button, and shows the next', async () => {
    // A machine that is busy with a browser takes no lead away at these times.
    cluster = new UpCluster(['--members', '3', '--chaos', '--timing', 'timeoutMs=[1500,2000]']);
    const page = await browsing.open(await cluster.pageWithToken());
    // The token leaves the address at once.
    expect(page.url()).toBe(await cluster.pageUrl());
    const first = idIn(await leads(page).textContent());
    const token = BigInt((await figure(page, 'Token').textContent())!);
    await page.getByRole('cell', { name: 'leads', exact: true }).waitFor();
    expect(await page.getByRole('row').count()).toBe(4);
    expect(await axe(page)).toEqual([]);

    const kill = page.getByRole('button', { name: `Kill -9 member ${first}` });
    await kill.focus();
    await page.keyboard.press('Enter');
    const again = page.getByRole('button', { name: `Start again member ${first}` });
    await again.waitFor();
    expect(await hasFocus(again)).toBe(true);
    const next = page.getByRole('heading', { name: new RegExp(`^Member (?!${first} )\\d+ leads$`) });
    const second = idIn(await next.textContent());
    expect(BigInt((await figure(page, 'Token').textContent())!)).toBeGreaterThan(token);
    await page
      .getByRole('status')
      .filter({ hasText: `Member ${second} leads now` })
      .waitFor({ state: 'attached' });
    // On a busy machine its lease may expire before its death is proven.
    await page
      .getByText(new RegExp(`${first} does not answer|no message from ${first} arrived`))
      .first()
      .waitFor();
    await page.getByRole('cell', { name: 'is down' }).waitFor();
    expect(await axe(page)).toEqual([]);

    await page.keyboard.press('Enter');
    await kill.waitFor();
    await page.getByRole('button', { name: 'Resign…' }).click();
    await page.getByRole('button', { name: 'Yes, resign' }).press('Enter');
    await page
      .getByRole('status')
      .filter({ hasText: /Done at \d\d:\d\d:\d\d\./ })
      .waitFor();
    await page.getByRole('heading', { name: new RegExp(`^Member (?!${second} )\\d+ leads$`) }).waitFor();
  });

  it('keeps the keyboard while nobody leads, and starts the last member again after a reload', async () => {
    cluster = new UpCluster(['--members', '1', '--chaos', '--timing', 'timeoutMs=[1500,2000]']);
    const page = await browsing.open(await cluster.pageWithToken(), { except: /503/ });
    await leads(page).waitFor();
    // Alone, a member that has resigned waits long before it stands again.
    const resign = page.getByRole('button', { name: 'Resign…' });
    await resign.press('Enter');
    await page.getByRole('button', { name: 'Yes, resign' }).press('Enter');
    await page.getByRole('heading', { name: 'No leader', exact: true }).waitFor();
    await page.getByText('There is no leader, so there is none to resign.').waitFor();
    expect(await hasFocus(resign)).toBe(true);
    expect(await resign.getAttribute('aria-disabled')).toBe('true');
    await page
      .getByRole('status')
      .filter({ hasText: 'There is no leader now' })
      .waitFor({ state: 'attached' });
    await figure(page, 'Since')
      .filter({ hasText: /^\d\d:\d\d:\d\d \(/ })
      .waitFor();
    expect(await axe(page)).toEqual([]);
    await leads(page).waitFor();
    expect(await hasFocus(resign)).toBe(true);

    await page.getByRole('button', { name: 'Kill -9 member 1' }).click();
    await page.getByRole('cell', { name: 'no connection' }).waitFor();
    await page.getByRole('alert').filter({ hasText: 'No member has answered since' }).waitFor();
    // A page that is loaded again has forgotten its token, and asks for it.
    await page.reload();
    await page.getByLabel('To kill and pause members a token is needed:').fill(await cluster.pageToken());
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Forget it' }).waitFor();
    const alert = page.getByRole('alert').filter({ hasText: 'No member answers. Asking again…' });
    await alert.waitFor();
    await page.getByRole('cell', { name: 'is down' }).waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Start again member 1' }).press('Enter');
    await leads(page).waitFor();
    await alert.waitFor({ state: 'detached' });
    expect(await hasFocus(page.getByRole('button', { name: 'Kill -9 member 1' }))).toBe(true);
  });

  it('says when a member disappears, and goes on when it is back', async () => {
    cluster = new UpCluster(['--members', '3', '--timing', 'timeoutMs=[1500,2000]']);
    await cluster.seen(isActing);
    const { url, id } = cluster.events.find(({ event }) => event === 'member');
    const except =
      /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/;
    const page = await browsing.open(`${url}/ui`, { except, viewport: { width: 390, height: 800 } });
    expect(page.url()).toBe(`${url}/ui/`);
    await leads(page).waitFor();
    await page.getByText('answers this page').waitFor();
    expect(await page.getByRole('button', { name: /Kill/ }).count()).toBe(0);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(390);

    // A page that nobody sees asks nothing.
    const hide = (isHidden: boolean): Promise<unknown> =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));`);
    await watchers(url, 1);
    await hide(true);
    await watchers(url, 0);
    await hide(false);
    await watchers(url, 1);

    cluster.process.stdin!.write(String(id));
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(
      /Member 1 has not answered since \d\d:\d\d:\d\d; below is what was last said\./,
    );
    expect(await alert.getByRole('link').allTextContents()).toEqual(['member 2', 'member 3']);
    const own = page.getByRole('row', { name: /^1 / });
    await own.filter({ hasText: 'cannot be reached' }).filter({ hasText: 'does not answer' }).waitFor();
    expect(await axe(page)).toEqual([]);
    cluster.process.stdin!.write(String(id));
    await alert.waitFor({ state: 'detached' });
    await leads(page).waitFor();
    await own.filter({ hasText: 'answers this page' }).waitFor();

    await page.getByRole('button', { name: 'Open the playground' }).click();
    await leads(page).waitFor({ state: 'detached' });
  });
});

describe.skipIf(missingBrowser !== null)(`the page of a member ${missingBrowser ?? ''}`, () => {
  let browsing: Browsing;
  let member: Member;
  const ending = new AbortController();
  beforeAll(async () => {
    browsing = await Browsing.start();
    member = await join({ id: 'a', timing: { timeoutMs: [1500, 2000] } });
  });
  afterAll(async () => {
    ending.abort();
    await browsing.close();
    await member.close();
  });

  it('shows each of its elections, and gives orders to the one that is shown', async () => {
    void standFor(member.election(), ending.signal);
    void standFor(member.election('jobs.2'), ending.signal);
    const page = await browsing.open(`${member.url}/ui/`);
    const heading = page.getByRole('heading', { name: 'Member a leads' });
    await heading.waitFor();
    expect(await figure(page, 'Election').textContent()).toBe('main');
    const token = await figure(page, 'Token').textContent();
    const choice = page.getByRole('banner').getByLabel('Election');
    await choice.selectOption('jobs.2');
    await figure(page, 'Election').filter({ hasText: 'jobs.2' }).waitFor();
    await heading.waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Resign…' }).click();
    await page.getByRole('button', { name: 'Yes, resign' }).click();
    await page.getByRole('heading', { name: 'No leader' }).waitFor();
    await choice.selectOption('main');
    await heading.waitFor();
    expect(await figure(page, 'Token').textContent()).toBe(token);
  });
});
