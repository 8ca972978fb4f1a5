/** The page around the panels: small screens, zoom, fingers, forced colours, and what it says. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axe, missingBrowser } from '../support/browser.ts';
import { visits } from './visits.ts';

const button = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('button', { name, exact: true });
const tab = (page: Page, name: string): Locator => page.getByRole('tab', { name, exact: true });
const member = (page: Page, id: number): Locator =>
  page.getByRole('button', { name: new RegExp(`^Member ${id}, `) });
const stage = (page: Page): Locator => page.getByRole('group', { name: /^Members, / });
const heightOf = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollHeight);

/** What a finger may do where is known to the browser once it has drawn the page anew. */
const shown = (page: Page): Promise<void> =>
  page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );

/** A finger goes along these points, and leaves. */
async function drag(page: Page, points: readonly { x: number; y: number }[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: { x: number; y: number }) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: at === undefined ? [] : [at] });
  await touch('touchStart', points[0]);
  for (const point of points.slice(1)) {
    await touch('touchMove', point);
    // Moves that come faster than pictures are told as one.
    await shown(page);
  }
  await touch('touchEnd');
  await session.detach();
}

describe.skipIf(missingBrowser !== null)(`the page around it ${missingBrowser ?? ''}`, () => {
  const playground = visits();

  for (const [what, width, height] of [
    ['a phone on its side', 844, 390],
    ['a small tablet', 1024, 600],
    ['a tablet', 768, 1024],
  ] as const) {
    it(`fits ${what}, with buttons for fingers, and panels near the stage`, async () => {
      const page = await playground.open({
        viewport: { width, height },
        hasTouch: true,
        isMobile: true,
        reducedMotion: 'reduce',
      });
      await button(page, 'Play').waitFor();
      expect(await heightOf(page)).toBeLessThanOrEqual(height);
      for (const each of [button(page, 'Play'), button(page, 'Menu'), member(page, 3)]) {
        const box = (await each.boundingBox())!;
        expect(box.height).toBeGreaterThanOrEqual(44);
        expect(box.y + box.height).toBeLessThanOrEqual(height);
      }
      await tab(page, 'Log').tap();
      await page.getByRole('log').waitFor();
      await tab(page, 'How it works').tap();
      await page.getByRole('heading', { name: 'epoch' }).waitFor();
      expect(await axe(page)).toEqual([]);
    });
  }

  it('scrolls as a whole where it is magnified four times, by a finger on the stage too', async () => {
    const page = await playground.open({
      viewport: { width: 320, height: 256 },
      hasTouch: true,
      reducedMotion: 'reduce',
    });
    await button(page, 'Play').waitFor();
    expect((await stage(page).boundingBox())!.height).toBeGreaterThan(150);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    const scrolled = page.evaluate(
      () => new Promise((resolve) => addEventListener('scroll', resolve, { once: true })),
    );
    await drag(
      page,
      [240, 220, 200, 180, 160, 140, 120].map((y) => ({ x: 160, y })),
    );
    await scrolled;
    await button(page, 'Play').scrollIntoViewIfNeeded();
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(0);
    expect(await page.getByText('can no longer hear the rest').count()).toBe(0);
  });

  it('lets a finger draw a loop when it is asked to', async () => {
    const page = await playground.open({
      viewport: { width: 390, height: 800 },
      hasTouch: true,
      reducedMotion: 'reduce',
    });
    const around = async (): Promise<{ x: number; y: number }[]> => {
      const { x, y, width, height } = (await member(page, 1).boundingBox())!;
      return [
        { x: x - 40, y: y - 10 },
        { x: x + width + 40, y: y - 10 },
        { x: x + width + 40, y: y + height + 20 },
        { x: x - 40, y: y + height + 20 },
      ];
    };
    await drag(page, await around());
    expect(await page.getByText('can no longer hear the rest').count()).toBe(0);
    await button(page, 'Lasso').tap();
    await page.getByText('Draw around members to split them from the rest.').waitFor();
    await shown(page);
    await drag(page, await around());
    await page.getByText('1 can no longer hear the rest.').waitFor();
    expect(await button(page, 'Lasso').getAttribute('aria-pressed')).toBe('false');
  });

  it('never scrolls into the blank where there is room', async () => {
    for (const width of [1000, 1100, 1280]) {
      const page = await playground.open({ viewport: { width, height: 800 } });
      await button(page, 'Pause').waitFor();
      expect([width, await heightOf(page)]).toEqual([width, 800]);
    }
  });

  it('keeps the buttons for a member off the members of a phone', async () => {
    const page = await playground.open({
      viewport: { width: 390, height: 800 },
      hasTouch: true,
      reducedMotion: 'reduce',
    });
    await member(page, 2).tap();
    await button(page, 'More').tap();
    const top = (await page.getByRole('group', { name: 'What to do with member 2' }).boundingBox())!.y;
    for (const id of [1, 2, 3, 4, 5]) {
      const box = (await member(page, id).boundingBox())!;
      expect(box.y + box.height).toBeLessThanOrEqual(top + 20);
    }
  });

  it('opens its menu on a phone, and gives the focus back', async () => {
    const page = await playground.open({ viewport: { width: 390, height: 800 } });
    await button(page, 'Menu').press('Enter');
    await button(page, 'Gallery').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await button(page, 'Gallery').waitFor({ state: 'detached' });
    expect(await button(page, 'Menu').evaluate((each) => each === document.activeElement)).toBe(true);
    await button(page, 'Menu').press('Enter');
    await button(page, 'Help').click();
    await page.getByRole('dialog', { name: 'Help' }).waitFor();
    expect(await axe(page)).toEqual([]);
  });

  it('marks the chosen tab and the last rule where colours are forced', async () => {
    const page = await playground.open({ forcedColors: 'active' });
    await page.getByRole('button', { name: /, leader, / }).waitFor();
    await button(page, 'Pause').click();
    const colours = (each: Locator, side: 'Bottom' | 'Left'): Promise<string> =>
      each.evaluate((element, name) => getComputedStyle(element)[`border${name}Color`], side);
    expect(await colours(tab(page, 'How it works'), 'Bottom')).not.toBe(
      await colours(tab(page, 'Inspect'), 'Bottom'),
    );
    const rules = page.getByRole('list', { name: 'Rules of epoch' });
    expect(await colours(rules.locator('[aria-current=step]'), 'Left')).not.toBe(
      await colours(rules.getByRole('listitem').nth(0), 'Left'),
    );
  });

  it('names a member without its timer, and describes the timer while time stands', async () => {
    const page = await playground.open();
    await page.getByRole('button', { name: /, leader, / }).waitFor();
    const one = member(page, 1);
    expect(await one.getAttribute('aria-description')).toBeNull();
    expect(await one.getAttribute('aria-label')).not.toContain('%');
    await button(page, 'Pause').click();
    expect(await one.getAttribute('aria-description')).toMatch(/^(wait|keep-alive) \d+ % over$/);
    await button(page, 'Legend').click();
    expect(await axe(page)).toEqual([]);
  });

  it('tells those that have not started from the dead', async () => {
    const page = await playground.open({ reducedMotion: 'reduce' });
    await page.getByRole('button', { name: 'Member 1, not started yet', exact: true }).waitFor();
    await tab(page, 'Members').click();
    await page.getByRole('cell', { name: 'not started', exact: true }).first().waitFor();
  });

  it('says what came of a link or a key, moves nothing for it, and is silent again after the next action', async () => {
    const page = await playground.open();
    await page.getByRole('button', { name: /, leader, / }).waitFor();
    await button(page, 'Pause').click();
    const before = await stage(page).boundingBox();
    await page.evaluate(() => (location.hash = '#s=nothing-like-it'));
    await page.getByText(/^This link cannot be opened: .*; this run continues\.$/).waitFor();
    expect(await stage(page).boundingBox()).toEqual(before);
    await button(page, 'Close the notice').click();
    await page.getByText(/^This link cannot be opened/).waitFor({ state: 'detached' });
    await member(page, 1).focus();
    await page.keyboard.press('g');
    await page.getByText('Nothing has gone wrong so far.').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByText('Nothing has gone wrong so far.').waitFor({ state: 'detached' });
  });

  it('takes a number of members that cannot be out of its field again', async () => {
    const page = await playground.open();
    const field = page.getByLabel('Members', { exact: true });
    await field.fill('101');
    await field.press('Enter');
    await page.getByText('Members: a whole number from 1 to 100 is expected.').waitFor();
    expect(await field.inputValue()).toBe('5');
  });
});
