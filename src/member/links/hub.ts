import type { Connection } from './connection.ts';
import type { Identity, LinkEvents } from './links.ts';
import type { LocalSocket } from './local-socket.ts';
import type { ResolvedLinkOptions } from './options.ts';
import type { Poster } from './post.ts';

/** What the link to one peer needs of all the links together. */
export interface Hub {
  readonly own: Identity;
  readonly events: LinkEvents;
  readonly options: ResolvedLinkOptions;
  readonly poster: Poster;
  /** Null where the system does not tell which process this is: then none of the others could look for it anyway. */
  readonly local: LocalSocket | null;
  /** Nothing is told any more. */
  readonly closed: boolean;
  /** Remembers a connection until it is closed, so that closing the links closes it too. */
  track(connection: Connection): void;
}
