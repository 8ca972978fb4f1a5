/** What the panels around the stage do, in a real browser. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axe, missingBrowser, type Opening } from '../support/browser.ts';
import { visits } from './visits.ts';

const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });
const tab = (page: Page, name: string): Locator => page.getByRole('tab', { name, exact: true });
const slider = (page: Page): Locator => page.getByRole('slider', { name: 'Time' });
const alarm = (page: Page): Locator => page.getByRole('alert', { name: 'Alarm' });

async function openFile(page: Page, path: string): Promise<void> {
  await page.getByLabel('Scenario or trace').setInputFiles(path);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

describe.skipIf(missingBrowser !== null)(`the panels ${missingBrowser ?? ''}`, () => {
  const playground = visits();

  /** Two leaders that nobody tells apart, and the page stands where that began. */
  async function broken(options: Opening = {}): Promise<Page> {
    const page = await playground.open(options);
    await button(page, 'Pause').click();
    await button(page, 'Files').click();
    await openFile(page, 'docs/counterexamples/epoch-disk-S1.json');
    await button(page, 'Jump to it').click();
    await alarm(page).getByText('Two in one epoch: broken.').waitFor();
    return page;
  }

  it('tell what a counterexample breaks and when, in times that can be told apart', async () => {
    const page = await playground.open();
    await button(page, 'Pause').click();
    await button(page, 'Files').click();
    await openFile(page, 'docs/counterexamples/epoch-disk-S1.json');
    await page
      .getByText(
        'epoch-disk-S1.json breaks S1, “one winner per epoch”, at 8.0 ms; also S3, S2, S9, S10 and S6.',
      )
      .waitFor();
    await page.getByText('0.00 s of 9.0 ms').waitFor();
    await button(page, 'Jump to it').click();
    await alarm(page)
      .getByText(/Two leaders: 1 \(epoch 1\) and 2 \(epoch 1\) since \d\.\d ms/)
      .waitFor();
    // The diagram is as long as the run, so that its end is near the right edge.
    await slider(page).press('End');
    const line = (await slider(page).boundingBox())!;
    const whole = (await page.getByRole('region', { name: 'Space-time diagram' }).boundingBox())!;
    expect(line.x).toBeGreaterThan(whole.x + whole.width * 0.8);
  });

  it('tell a cause beside the stage, which keeps its size', async () => {
    const page = await broken();
    const stage = page.locator('.stage').first();
    const before = await stage.boundingBox();
    await button(page, 'Show cause').press('Enter');
    const heading = page.getByRole('heading', { name: 'How it came about' });
    await heading.waitFor();
    expect(await heading.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await stage.boundingBox()).toEqual(before);
    const cause = page.getByRole('region', { name: 'Cause' });
    await cause.getByText(/messages between them never came/).waitFor();
    const unheard = cause.getByRole('button', { name: /→ \d: held$/ });
    expect(await unheard.count()).toBeGreaterThan(0);
    await unheard.first().click();
    expect(await unheard.first().getAttribute('aria-pressed')).toBe('true');
    expect(await axe(page)).toEqual([]);
    await button(page, 'Hide cause').click();
    await cause.getByText('press “Show cause” in the alarm').waitFor();
  });

  it('tell what is broken from what may be harmless by shape, without letters that a font may lack', async () => {
    const page = await broken();
    expect(await alarm(page).locator('[data-sign]').getAttribute('data-sign')).toBe('broken');
  });

  it('let the whole line of the cursor be dragged', async () => {
    const page = await playground.open({}, `${playground.url}#s=bridge&protocol=epoch`);
    await button(page, 'Pause').click();
    await slider(page).press('Home');
    await slider(page).press('PageUp');
    await slider(page).press('PageUp');
    const now = async (): Promise<number> => Number(await slider(page).getAttribute('aria-valuenow'));
    expect(await now()).toBe(2000);
    const line = (await slider(page).boundingBox())!;
    const [x, y] = [line.x + line.width / 2, line.y + line.height * 0.8];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 40, y);
    await page.mouse.move(x + 200, y);
    await page.mouse.up();
    const there = await now();
    expect(there).toBeGreaterThan(3000);
    expect((await slider(page).boundingBox())!.x).toBeCloseTo(line.x + 200, -1);
  });

  it('are to be seen where all colours are forced', async () => {
    const page = await playground.open({ forcedColors: 'active' });
    await button(page, 'Pause').click();
    const inks = await page
      .getByRole('region', { name: 'Space-time diagram' })
      .locator('canvas')
      .evaluate((canvas: HTMLCanvasElement) => {
        // The row of times: nothing but letters and strokes on the ground.
        const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, 20);
        const found = new Map<string, number>();
        for (let i = 0; i < data.length; i += 4) {
          const ink = data.slice(i, i + 3).join();
          found.set(ink, (found.get(ink) ?? 0) + 1);
        }
        return [...found].sort((a, b) => b[1] - a[1]);
      });
    expect(inks.length).toBeGreaterThan(1);
    expect(inks[0]![0]).toBe('255,255,255');
    const line = await slider(page).evaluate(
      (element) => getComputedStyle(element, '::after').backgroundColor,
    );
    expect(line).not.toBe('rgb(255, 255, 255)');
  });

  it('have the state of every member in sight', async () => {
    const page = await playground.open({ viewport: { width: 390, height: 800 }, hasTouch: true });
    await tab(page, 'More').click();
    await tab(page, 'Members').click();
    const table = page.getByRole('table', { name: 'Members' });
    const state = (await table.getByRole('columnheader', { name: 'State' }).boundingBox())!;
    expect(state.x + state.width).toBeLessThan(390);
    expect(await table.getByRole('columnheader').nth(1).textContent()).toBe('State');
  });

  it('give the link to a scenario of the gallery', async () => {
    const page = await playground.open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await button(page, 'Gallery').click();
    await button(page, 'Copy link: Two halves').click();
    await page
      .getByRole('status')
      .filter({ hasText: 'The link to “Two halves” with epoch is on the clipboard.' })
      .waitFor({ state: 'attached' });
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toBe(`${playground.url}#s=even-split&protocol=epoch`);
  });

  it('keep a race and what many seeds came to apart', async () => {
    const page = await playground.open();
    await button(page, 'Race').click();
    const race = page.getByRole('dialog', { name: 'Race' });
    await race.getByRole('table', { name: /^This race, with seed 15, up to / }).waitFor();
    expect(await race.getByRole('table').count()).toBe(1);
    await button(page, 'Kill the leader').click();
    await race.getByText('✕').first().waitFor();
    expect(await race.getByText(/^✕\d$/).count()).toBeGreaterThan(0);
    await button(page, 'Measure over 200 seeds').click();
    const many = race.getByRole('table', {
      name: /seeds.* with the scenario and what you did by hand \(once\)/,
    });
    await many.waitFor();
    await button(page, 'Halves').click();
    await many.waitFor({ state: 'detached' });
  });
});
