/** The playground in a real browser, used as a visitor would. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { decodeShare } from '../../playground/src/game/run/share.ts';
import { simulateJson } from '../cli/caucus.ts';
import { axe, missingBrowser } from '../support/browser.ts';
import { visits } from './visits.ts';

const leader = (page: Page): Locator => page.getByRole('button', { name: /^Member \d+, leader, / });
const button = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('button', { name, exact: true });
const tab = (page: Page, name: string): Locator => page.getByRole('tab', { name, exact: true });
const alarm = (page: Page): Locator => page.getByRole('alert', { name: 'Alarm' });
const slider = (page: Page): Locator => page.getByRole('slider', { name: 'Time' });
const idOf = async (member: Locator): Promise<string> =>
  /Member (\d+)/.exec((await member.getAttribute('aria-label'))!)![1]!;

/** A run of its own, at a pace that a test can wait for. */
async function begin(page: Page, members: number, seed: number, speed = '5'): Promise<void> {
  await page.getByLabel('Speed').selectOption(speed);
  await page.getByLabel('Members', { exact: true }).fill(String(members));
  await page.getByLabel('Seed', { exact: true }).fill(String(seed));
  await page.getByLabel('Seed', { exact: true }).press('Enter');
}

/** What the page says of the whole run. */
async function hashOn(page: Page): Promise<string> {
  await tab(page, 'Inspect').click();
  const text = await page.getByRole('region', { name: 'Inspector' }).textContent();
  return /[0-9a-f]{16}/.exec(text!)![0];
}

describe.skipIf(missingBrowser !== null)(`the playground ${missingBrowser ?? ''}`, () => {
  const playground = visits();

  it('plays an election by itself, and replaces a leader that is killed', async () => {
    const page = await playground.open();
    await begin(page, 5, 7);
    await leader(page).waitFor();
    const first = await idOf(leader(page));
    await leader(page).click();
    await button(page, 'Kill').click();
    await page.getByRole('button', { name: new RegExp(`^Member ${first}, down`) }).waitFor();
    await page
      .getByRole('button', { name: new RegExp(`^Member (?!${first},)\\d+, leader, epoch [2-9]`) })
      .waitFor();
    await page
      .getByRole('status', { name: 'News' })
      .getByText('became leader')
      .waitFor({ state: 'attached' });
    await button(page, 'Pause').click();
    expect(await axe(page)).toEqual([]);
  });

  it('raises the alarm when one link of epoch is cut, by keyboard alone; rewinds and forks', async () => {
    const page = await playground.open();
    await begin(page, 3, 7);
    await leader(page).waitFor();
    await leader(page).focus();
    await page.keyboard.press('x');
    await page.keyboard.press('x');
    await alarm(page).getByText('Two leaders:').waitFor();
    expect(await alarm(page).textContent()).toMatch(
      /Two leaders: \d \(epoch \d\) and \d \(epoch \d\) since \d+\.\d\d s/,
    );
    expect(await page.getByRole('button', { name: /one of several that claim to lead/ }).count()).toBe(2);
    await button(page, 'Pause').press('Enter');
    expect(await axe(page)).toEqual([]);

    await button(page, 'Show cause').press('Enter');
    await page.getByRole('heading', { name: 'How it came about' }).waitFor();
    expect(await page.getByText(/cut between/).count()).toBeGreaterThan(0);

    await slider(page).focus();
    await page.keyboard.press('Home');
    expect(await slider(page).getAttribute('aria-valuenow')).toBe('0');
    expect(await leader(page).count()).toBe(0);
    await page.getByRole('button', { name: /^Member 1, / }).focus();
    await page.keyboard.press('k');
    await page.getByRole('button', { name: /^Member 1, down/ }).waitFor();
    await page.getByText('This is branch 1').waitFor();
    await page.getByRole('combobox', { name: 'Branch' }).selectOption({ index: 0 });
    await page.getByRole('button', { name: /^Member 1, down/ }).waitFor({ state: 'detached' });
  });

  it('shares a run that is the same everywhere', async () => {
    const page = await playground.open();
    await begin(page, 5, 3);
    await leader(page).waitFor();
    await leader(page).click();
    await button(page, 'Kill').click();
    await page.getByRole('button', { name: /\d, leader, epoch [2-9]/ }).waitFor();
    await button(page, 'Pause').click();
    await button(page, 'Close').click();
    await button(page, 'Copy link').first().click();
    await page.waitForURL(/#v1\./);
    const hash = await hashOn(page);
    const { run } = await decodeShare(new URL(page.url()).hash.slice(1));
    const { seed } = run;
    expect((await simulateJson(run, '--seed', String(seed))).hash).toBe(hash);
    const second = await playground.open({}, page.url());
    await second.getByRole('button', { name: /\d, leader, epoch [2-9]/ }).waitFor();
    expect(await hashOn(second)).toBe(hash);
  });

  it('says in words what is wrong with a link, and goes on', async () => {
    const page = await playground.open({}, `${playground.url}#v1.AAAAAAA`);
    await page.getByText(/^This link cannot be opened: link: expected a run, whole and unchanged/).waitFor();
    await page.goto(`${playground.url}#s=nothing-like-it`);
    await page.getByText(/This link cannot be opened: s: expected the name of a scenario/).waitFor();
    await begin(page, 3, 1);
    await leader(page).waitFor();
  });

  it('opens a scenario of the gallery by its name', async () => {
    const page = await playground.open({}, `${playground.url}#s=bridge&protocol=epoch`);
    expect(await page.getByLabel('Protocol').inputValue()).toBe('epoch');
    await button(page, 'Gallery').click();
    await page.getByRole('dialog', { name: 'Gallery' }).waitFor();
    await page.getByRole('article').first().waitFor();
    await page.getByRole('article').first().waitFor();
    expect(await page.getByRole('article').count()).toBeGreaterThanOrEqual(25);
    expect(await axe(page)).toEqual([]);
  });

  it('knows when a challenge is solved', async () => {
    const page = await playground.open();
    await tab(page, 'Challenges').click();
    await page.getByRole('button', { name: /^Challenge 1: / }).click();
    await button(page, /^Start/).click();
    await page.getByLabel('Speed').selectOption('5');
    await leader(page).waitFor();
    await tab(page, 'Break it').click();
    await button(page, /Isolate the leader/i).click();
    await tab(page, 'Challenges').click();
    await page
      .getByRole('status')
      .filter({ hasText: /^Solved/i })
      .waitFor();
    expect(await axe(page)).toEqual([]);
  });

  it('races protocols through the same faults', async () => {
    const page = await playground.open();
    await button(page, 'Race').click();
    const race = page.getByRole('dialog', { name: 'Race' });
    await race.waitFor();
    await race.getByRole('table').first().waitFor();
    expect(await axe(page)).toEqual([]);
  });

  it('fits a phone, dark, and moves nothing for those who ask for it', async () => {
    const page = await playground.open({
      viewport: { width: 390, height: 800 },
      colorScheme: 'dark',
      reducedMotion: 'reduce',
      hasTouch: true,
    });
    await button(page, 'Play').waitFor();
    await tab(page, 'Timeline').click();
    await slider(page).waitFor();
    await tab(page, 'Log').click();
    await page.getByRole('log').waitFor();
    await tab(page, 'More').click();
    await tab(page, 'Members').click();
    await page.getByRole('table', { name: 'Members' }).waitFor();
    await tab(page, 'Stage').click();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await axe(page)).toEqual([]);
  });

  it('does nothing while it is paused', async () => {
    const page = await playground.open();
    await leader(page).waitFor();
    await button(page, 'Pause').click();
    const pictures = await page.evaluate(async () => {
      const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100));
      await settle();
      let asked = 0;
      const usual = window.requestAnimationFrame;
      window.requestAnimationFrame = (callback) => {
        asked += 1;
        return usual(callback);
      };
      await settle();
      return asked;
    });
    expect(pictures).toBe(0);
  });
});
