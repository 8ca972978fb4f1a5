/** What the server of this page says about itself. Without an answer the page is a static file, and only plays. */
export interface About {
  /** `play`: there is no cluster. `member`: the page of one member. `up`: that of a whole cluster on this machine. */
  readonly mode: 'play' | 'member' | 'up';
  /** May processes be killed, stopped and started from here? */
  readonly chaos: boolean;
  /** Where the HTTP API is, relative to this page. */
  readonly api: string;
  /** The roles for which a token is needed here. */
  readonly tokens: readonly string[];
}

const ALONE: About = { mode: 'play', chaos: false, api: './', tokens: [] };

export async function readAbout(): Promise<About> {
  try {
    const response = await fetch('./about.json', { cache: 'no-store' });
    if (!response.ok) return ALONE;
    return { ...ALONE, ...((await response.json()) as Partial<About>) };
  } catch {
    return ALONE;
  }
}
