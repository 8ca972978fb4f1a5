/** The page of members that need a token, in a real browser. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { standFor } from '../../src/cli/commands/node/standing.ts';
import { join, type Member } from '../../src/member/index.ts';
import { axe, Browsing, missingBrowser } from '../support/browser.ts';

const ALICE = 'token-of-alice-who-operates';
const BOB = 'token-of-bob-who-only-reads';

describe.skipIf(missingBrowser !== null)(`a page that needs a token ${missingBrowser ?? ''}`, () => {
  let browsing: Browsing;
  let member: Member;
  let ending: AbortController;
  beforeAll(async () => {
    browsing = await Browsing.start();
  });
  afterAll(() => browsing.close());
  afterEach(async () => {
    try {
      await browsing.check();
    } finally {
      ending.abort();
      await member.close();
    }
  });

  async function open(closed: boolean): Promise<void> {
    ending = new AbortController();
    const tokens = [
      { name: 'alice', roles: ['operate'], token: ALICE },
      { name: 'bob', roles: ['read'], token: BOB },
    ] as const;
    // It has no lease, so a busy machine takes no lead away.
    member = await join({ id: 'a', protocol: 'bully', tokens, closed });
    void standFor(member.election(), ending.signal);
  }

  it('shows a closed member once it has one, and keeps it in memory only', async () => {
    await open(true);
    const page = await browsing.open(`${member.url}/ui/`, { except: /401|403/ });
    const field = page.getByLabel('To see anything here a token is needed:');
    await field.waitFor();
    await page.getByRole('alert').filter({ hasText: 'Nothing is told here without a token' }).waitFor();
    expect(await field.getAttribute('type')).toBe('password');
    expect(await axe(page)).toEqual([]);

    await field.fill('a-wrong-token-a-wrong-token');
    await page.keyboard.press('Enter');
    const again = page.getByLabel('This token is not accepted here. Another one:');
    await again.fill(BOB);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Member a leads' }).waitFor();
    expect(await axe(page)).toEqual([]);
    // The stream is read with the token too: a change shows by itself.
    await page.getByRole('button', { name: 'Resign…' }).click();
    await page.getByRole('button', { name: 'Yes, resign' }).click();
    await page
      .getByText('Not allowed: this token may not do that: expected one with the role operate.')
      .waitFor();

    const kept = await page.evaluate(
      '[document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage), location.href, document.documentElement.outerHTML].join()',
    );
    expect(kept).not.toContain(BOB);
    await page.reload();
    await field.waitFor();
  });

  it('is operated with one, and forgets it', async () => {
    await open(false);
    const page = await browsing.open(`${member.url}/ui/`, { except: /401/ });
    await page.getByRole('heading', { name: 'Member a leads' }).waitFor();
    const resign = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Resign…' }).click();
      await page.getByRole('button', { name: 'Yes, resign' }).click();
    };
    await resign();
    await page.getByText(/^Not allowed: this needs a token with the role operate/).waitFor();
    await page.getByLabel('To give commands a token is needed:').fill(ALICE);
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.getByRole('button', { name: 'Forget it' }).waitFor();
    await resign();
    await page
      .getByRole('status')
      .filter({ hasText: /Done at \d\d:\d\d:\d\d\./ })
      .waitFor();
    await page.getByRole('button', { name: 'Forget it' }).click();
    await page.getByLabel('To give commands a token is needed:').waitFor();
  });

  it('takes it from the address, where no server sees it, and removes it there', async () => {
    await open(true);
    const page = await browsing.open(`${member.url}/ui/#token=${BOB}`);
    await page.getByRole('heading', { name: 'Member a leads' }).waitFor();
    expect(page.url()).toBe(`${member.url}/ui/`);
    expect(await page.evaluate('history.length')).toBeLessThanOrEqual(2);
  });
});
