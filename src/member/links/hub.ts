import type { LinkAuthentication } from './link-authentication.ts';
import type { LinkEvents } from './links.ts';
import type { ResolvedLinkOptions } from './options.ts';
import type { Poster } from './post.ts';

/** What the link to one peer needs from the whole set of links. */
export interface Hub {
  readonly events: LinkEvents;
  readonly options: ResolvedLinkOptions;
  readonly poster: Poster;
  readonly authentication: LinkAuthentication;
  /** After this, no events are reported. */
  readonly closed: boolean;
}
