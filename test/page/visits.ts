/** One server of the playground and one browser for all tests of a file. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { Browsing, type Opening } from '../support/browser.ts';
import { PlayServer } from '../support/play-server.ts';

export interface Visits {
  /** The address of the playground, once the tests run. */
  readonly url: string;
  /** Opens it, or another address, as a new visitor. What the page complains of fails the test. */
  open(options?: Opening, url?: string): Promise<Page>;
}

/** Is to be called in a `describe`. */
export function visits(): Visits {
  let server: PlayServer;
  let browsing: Browsing;
  beforeAll(async () => {
    [server, browsing] = await Promise.all([PlayServer.start(), Browsing.start()]);
  });
  afterAll(async () => {
    await browsing.close();
    await server.stop();
  });
  afterEach(() => browsing.check());
  return {
    get url() {
      return server.url;
    },
    open: (options, url = server.url) => browsing.open(url, options),
  };
}
