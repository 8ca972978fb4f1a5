/** A real browser, which fails the test that it looks on for: what a page logs as an error is a fault of the page. */
import axeCore from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { ensureDebian } from './debian.ts';

/** Why there is no browser, for a test that then has to be skipped in so many words, or null. */
export const missingBrowser: string | null = ensureDebian(['chromium']);

const CHROMIUM = '/usr/bin/chromium';
const FLAGS = [
  // Tests may run as root, in a container whose shared memory is small.
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  // Nothing but our own servers is asked.
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const LONGEST_WAIT_MS = 20_000;
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Tests beside this one make network namespaces, and Chromium breaks off what is under way when an interface comes or goes. */
const CHANGED = /net::ERR_NETWORK_CHANGED/;

export interface Opening extends BrowserContextOptions {
  /** Complaints that belong to the test: a server that it kills, for one. */
  readonly except?: RegExp;
}

/** Pages that are watched for errors, also those of the content-security policy, which a browser logs as such. */
export class Browsing {
  /** Whatever a page logged as an error or did not catch. */
  readonly complaints: string[] = [];
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(): Promise<Browsing> {
    return new Browsing(await chromium.launch({ executablePath: CHROMIUM, args: FLAGS }));
  }

  /** A page of its own visitor: nothing is shared with other pages, neither storage nor settings. */
  async open(url: string, { except, ...options }: Opening = {}): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    context.setDefaultTimeout(LONGEST_WAIT_MS);
    const page = await context.newPage();
    const complain = (text: string): void => {
      if (except?.test(text) !== true && !CHANGED.test(text)) this.complaints.push(text);
    };
    page.on('console', (entry) => {
      if (entry.type() === 'error') complain(`${entry.text()} (${entry.location().url})`);
    });
    page.on('pageerror', (error) => complain(`not caught: ${error.stack ?? error.message}`));
    await page.goto(url);
    return page;
  }

  /** Closes all pages, and throws what they complained of. Meant for `afterEach`, before the servers are stopped. */
  async check(): Promise<void> {
    await Promise.all(this.#browser.contexts().map((context) => context.close()));
    const complaints = this.complaints.splice(0);
    if (complaints.length > 0) throw new Error(`the page complains:\n${complaints.join('\n')}`);
  }

  async close(): Promise<void> {
    await this.check();
    await this.#browser.close();
  }
}

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe finds wrong with a page as it stands, a line each; an empty list is what a test expects. */
export async function axe(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  // The policy of the page allows no foreign script; whoever holds the browser may run one all the same.
  await session.send('Runtime.evaluate', { expression: axeCore.source });
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) => violations)`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  if (exceptionDetails !== undefined) throw new Error(`axe: ${exceptionDetails.exception?.description}`);
  return (result.value as readonly Violation[]).flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ html, failureSummary = '' }) => `${id}: ${help}: ${html} ${failureSummary.replace(/\s+/g, ' ')}`,
    ),
  );
}
