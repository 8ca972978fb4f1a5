import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Change, MemberPort } from '../api/index.ts';
import type { TokenOption } from '../auth/index.ts';
import { BadInput, show } from '../core/values.ts';
import type { Election, ElectionOptions, LogEntry, Partition, PartitionOptions } from '../election/index.ts';
import { type EngineOptions, openEngine } from '../engines/index.ts';
import type { JoinOptions } from '../member/index.ts';
import type { DefaultProtocol, ProtocolName } from '../protocols/index.ts';

/** A program's part in its elections, whatever they are held on: members, or a store. */
export interface Caucus {
  /** Our name, as the others see it. */
  readonly name: string;
  /** The election of this name, the same object for the same name (default: the main one). */
  election(name?: string, options?: ElectionOptions): Election;
  /** Shards, each owned by one of all replicas that take part. */
  partition(name: string, options: PartitionOptions): Partition;
  /** The HTTP API: status, health, history, metrics, the page. Mount it on your server. */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
  /** The metrics, in the text format of Prometheus. */
  metrics(): string;
  /** The changes of leader that this process saw, oldest first, of an election that is open (default: the main one). */
  history(election?: string): readonly Change[];
  /** Stops the work of leaders, releases what they lead, and closes all connections. */
  close(): Promise<void>;
  /** The same at the end of a block, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** On a store: the options of its engine, and those of the handler. */
export type CaucusStoreOptions = EngineOptions & {
  /** The election that is meant where none is named (default: `main`). */
  readonly election?: string;
  /** The tokens of operators. Without any, the handler takes no commands. */
  readonly tokens?: readonly TokenOption[];
  /** Questions need a token too (default: false). */
  readonly closed?: boolean;
  readonly log?: (entry: LogEntry) => void;
};

/**
 * One door to elections: `await caucus('postgres://…')` on a store, as `openEngine` takes it, or `await caucus({ peers, … })`
 * as a member, as `join` takes it. Either has the same elections, handler, metrics and history.
 */
export async function caucus(url: string | URL, options?: CaucusStoreOptions): Promise<Caucus>;
export async function caucus<P extends ProtocolName = DefaultProtocol>(
  options: JoinOptions<P>,
): Promise<Caucus>;
export async function caucus<P extends ProtocolName>(
  where: string | URL | JoinOptions<P>,
  options: CaucusStoreOptions = {},
): Promise<Caucus> {
  if (typeof where === 'string' || where instanceof URL) return onStore(where, options);
  if (typeof where !== 'object' || where === null)
    throw new BadInput('caucus', 'the URL of a store, or the options of a member', show(where));
  if (where.isolate !== undefined && where.isolate !== false)
    throw new BadInput(
      'isolate',
      'join({ isolate: true }) for a member in a thread of its own',
      show(where.isolate),
    );
  const { join } = await import('../member/index.ts');
  const member = await join(where);
  return opened(
    member,
    member.handler,
    {
      election: (...args) => member.election(...args),
      partition: (...args) => member.partition(...args),
    },
    () => member.close(),
  );
}

async function onStore(url: string | URL, options: CaucusStoreOptions): Promise<Caucus> {
  const { election = 'main', tokens = [], closed = false, ...rest } = options;
  const [{ createApi }, { tokenOptions }, { MemberAccess }, { StoreParticipant }] = await Promise.all([
    import('../api/index.ts'),
    import('../auth/index.ts'),
    import('../member/index.ts'),
    import('./store/index.ts'),
  ]);
  const access = new MemberAccess(tokenOptions.read(tokens, 'tokens'), closed, false);
  const engine = await openEngine(url, rest);
  const storeName = /^[a-z]+/.exec(String(url))![0];
  const { log } = options;
  const note = (level: 'info' | 'warning') => (message: string) => log?.({ level, message });
  const participant = new StoreParticipant(engine, election, storeName, note('warning'));
  const api = createApi(participant, { hosts: null, access: () => access.now, note: note('info') });
  const close = async (): Promise<void> => {
    await participant.close();
    api.close();
  };
  const elections: Elections = {
    election: (...args) => participant.election(...args),
    partition: (...args) => participant.partition(...args),
  };
  return opened(participant, api, elections, close);
}

type Elections = Pick<Caucus, 'election' | 'partition'>;

async function opened(
  member: MemberPort,
  handler: Caucus['handler'],
  elections: Elections,
  close: Caucus['close'],
): Promise<Caucus> {
  const { metricsOf } = await import('../api/index.ts');
  const metrics = metricsOf(member);
  const closeAll = async (): Promise<void> => {
    await close();
    metrics.close();
  };
  return {
    name: String(member.id),
    handler,
    ...elections,
    metrics: () => metrics.text(),
    history: (name = member.mainElection) =>
      member.elections.find((each) => each.name === name)?.history ?? [],
    close: closeAll,
    [Symbol.asyncDispose]: closeAll,
  };
}
