import type { LinkEvents } from './links.ts';
import type { ResolvedLinkOptions } from './options.ts';
import type { Poster } from './post.ts';

/** What the link to one peer needs of all the links together. */
export interface Hub {
  readonly events: LinkEvents;
  readonly options: ResolvedLinkOptions;
  readonly poster: Poster;
  /** Nothing is told any more. */
  readonly closed: boolean;
}
