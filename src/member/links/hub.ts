import type { Connection } from './connection.ts';
import type { Identity, LinkEvents } from './links.ts';
import type { ResolvedLinkOptions } from './options.ts';
import type { Poster } from './post.ts';

/** What the link to one peer needs of all the links together. */
export interface Hub {
  readonly own: Identity;
  readonly events: LinkEvents;
  readonly options: ResolvedLinkOptions;
  readonly poster: Poster;
  /** Nothing is told any more. */
  readonly closed: boolean;
  /** Remembers a connection until it is closed, so that closing the links closes it too. */
  track(connection: Connection): void;
}
