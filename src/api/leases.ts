/**
 * `POST /leases/…`: elections among programs that are no members, with the members as their store. The member that manages the leases
 * answers; another one says which member that is.
 */
import type { Shape } from '../core/index.ts';
import {
  asking,
  type Decision,
  done,
  type LeaseManager,
  leaseReading,
  published,
  publishing,
  type Refused,
  reading,
  releasing,
  renewal,
  renewing,
  taken,
  taking,
  type WatchEvent,
  watchEvent,
  watching,
} from '../leases/index.ts';
import type { Call } from './call.ts';
import { EventStream, HEARTBEAT_MS } from './event-stream.ts';
import { HttpError } from './http-error.ts';
import { sendJson } from './reply.ts';

/** One process that watches elections. */
export interface LeaseWatcher {
  /** The key of its session. */
  readonly session: string;
  readonly elections: ReadonlySet<string>;
  news(event: WatchEvent): void;
  /** The member manages the leases no more. */
  end(): void;
}

/** The leases of a member. Its functions throw HttpError if this member is not the manager. */
export interface LeasePort {
  /** Settles once the answer may be given: what it says is on the disks of a majority, and the manager is still the manager. */
  decide<T>(
    ask: (manager: LeaseManager, nowMs: number) => Decision<T> | Refused,
    /** `opens`: the first request opens the election of the lease managers. A reader opens nothing. */
    options: { readonly opens: boolean },
  ): Promise<T>;
  watch(watcher: LeaseWatcher): () => void;
  /** What the register keeps in place of a session. */
  keyOf(session: string): string;
}

export interface LeaseRoute {
  readonly summary: string;
  readonly request: Shape<object>;
  readonly answer: Shape<unknown>;
  /** The media type of the answer, if it is not JSON. */
  readonly type?: string;
  readonly handler: (call: Call, leases: LeasePort, body: unknown) => Promise<void>;
}

/** A request that the manager decides. */
function route<Q extends object, A>(
  summary: string,
  request: Shape<Q>,
  answer: Shape<A>,
  decide: (manager: LeaseManager, asked: Q, nowMs: number) => Decision<A> | Refused,
  opens = true,
): LeaseRoute {
  return {
    summary,
    request,
    answer,
    async handler({ response }, leases, body) {
      const asked = withKey(request.read(body, ''), leases);
      const answer = await leases.decide((manager, nowMs) => decide(manager, asked, nowMs), { opens });
      sendJson(response, 200, answer);
    },
  };
}

function withKey<Q extends object>(asked: Q, leases: LeasePort): Q {
  return 'session' in asked ? { ...asked, session: leases.keyOf(String(asked.session)) } : asked;
}

export const leaseRoutes: Readonly<Record<string, LeaseRoute>> = {
  '/leases/take': route('Takes an election, if it is free', taking, taken, (manager, asked, nowMs) =>
    manager.take(asked, nowMs),
  ),
  '/leases/renew': route('Renews the lease of a leadership', renewing, renewal, (manager, asked, nowMs) =>
    manager.renew(asked, nowMs),
  ),
  '/leases/release': route('Resigns a leadership', releasing, done, (manager, asked, nowMs) =>
    manager.release(asked, nowMs),
  ),
  '/leases/publish': route(
    'Publishes a value, in the name of the leader',
    publishing,
    published,
    (manager, asked, nowMs) => manager.publish(asked, nowMs),
  ),
  '/leases/ask': route('Asks a leader to resign', asking, done, (manager, asked, nowMs) =>
    manager.ask(asked, nowMs),
  ),
  '/leases/read': route(
    'The leader of an election, and the value',
    reading,
    leaseReading,
    (manager, { election }, nowMs) => ({ after: 0, answer: manager.read(election, nowMs) }),
    false,
  ),
  '/leases/watch': {
    summary: 'Server-sent events `news`: one for each change of these elections',
    request: watching,
    answer: watchEvent,
    type: 'text/event-stream',
    handler: watch,
  },
};

/** More than this is a mistake of a client, and every stream costs memory. */
const MOST_STREAMS = 1000;
/** News that wait for a reader: one for each election is enough. */
const open = new WeakMap<LeasePort, number>();

async function watch({ response }: Call, leases: LeasePort, body: unknown): Promise<void> {
  const { session, elections } = watching.read(body, '');
  const count = open.get(leases) ?? 0;
  if (count >= MOST_STREAMS)
    throw new HttpError(503, 'E_TOO_MANY', `${MOST_STREAMS} participants watch already`);
  const waiting = new Map<string, WatchEvent>();
  const flush = (): void => {
    for (const [election, event] of waiting) {
      if (stream.isBehind) return;
      waiting.delete(election);
      stream.send('news', JSON.stringify(event));
    }
  };
  const stop = leases.watch({
    session: leases.keyOf(session),
    elections: new Set(elections),
    news(event) {
      if (event.news === 'ours' || !waiting.has(event.election)) waiting.set(event.election, event);
      flush();
    },
    end: () => stream.end(),
  });
  open.set(leases, count + 1);
  const stream = new EventStream(response, HEARTBEAT_MS, {
    drain: flush,
    close() {
      stop();
      open.set(leases, (open.get(leases) ?? 1) - 1);
    },
  });
}

/** Carries out a request about leases. */
export async function answerLease(call: Call, body: unknown): Promise<void> {
  const { member, path } = call;
  const leases = member.leases ?? null;
  if (leases === null) {
    const message =
      'this member keeps no leases: members of the protocol quorum do that, as `caucus node` starts them';
    throw new HttpError(404, 'E_NO_LEASES', message);
  }
  await leaseRoutes[path]!.handler(call, leases, body);
}
