import { BadInput } from '../../core/index.ts';
import {
  CaucusError,
  Election,
  type Engine,
  fireTimes,
  type LogEntry,
  type Observation,
} from '../../election/index.ts';
import { leads, type Mark, marksOf } from './decorators.ts';

/** What is used of the DiscoveryService of @nestjs/core. */
export interface Discovery {
  getProviders(): readonly { readonly instance?: unknown }[];
  getControllers(): readonly { readonly instance?: unknown }[];
}

export interface ServiceOptions {
  readonly election: string;
  readonly drainMs?: number | undefined;
  readonly log: (entry: LogEntry) => void;
}

/** A result for the health checks of @nestjs/terminus. */
export interface ElectionHealth {
  readonly status: 'up' | 'down';
  readonly leader: string | null;
  readonly isLeader: boolean;
}

interface Open {
  readonly election: Election;
  state: Observation | null;
  /** Settles when the store has answered for the first time. */
  readonly answered: Promise<void>;
}

/** How long a health check waits for the first answer of the store. */
const FIRST_ANSWER_MS = 2000;

type Marked = { readonly mark: Mark; readonly instance: object; readonly key: string };

/** The elections of an application. Inject it to use them directly. */
export class CaucusService {
  readonly #engine: Engine;
  readonly #discovery: Discovery;
  readonly #options: ServiceOptions;
  readonly #closeEngine: () => Promise<void>;
  readonly #open = new Map<string, Open>();
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(engine: Engine, discovery: Discovery, options: ServiceOptions, close: () => Promise<void>) {
    this.#engine = engine;
    this.#discovery = discovery;
    this.#options = options;
    this.#closeEngine = close;
  }

  /** The election of this name (default: that of the module), the same object for the same name. */
  election(name: string = this.#options.election): Election {
    return this.#opened(name).election;
  }

  /** Does this replica lead? */
  isLeader(name?: string): boolean {
    return this.election(name).leadership !== null;
  }

  /** For @nestjs/terminus: `health.check([() => caucus.health()])`. Down if the store has not answered 2 s after it was first asked. */
  async health(key = 'caucus', name?: string): Promise<Record<string, ElectionHealth>> {
    const open = this.#opened(name ?? this.#options.election);
    const { election, answered } = open;
    await atMost(FIRST_ANSWER_MS, answered);
    const status = open.state?.isKnown === true ? 'up' : 'down';
    return {
      [key]: { status, leader: election.leader()?.name ?? null, isLeader: election.leadership !== null },
    };
  }

  /** Called by NestJS: finds what is decorated, and starts it. */
  async onApplicationBootstrap(): Promise<void> {
    const found = this.#marked();
    for (const each of found) await checkSchedule(each);
    for (const { instance } of found) {
      leads.set(instance, (name) => this.isLeader(name ?? this.#options.election));
    }
    const needed = found.flatMap(({ mark }) => (mark.kind === 'only-leader' ? [mark.election] : []));
    const guarded = new Set(needed.map((name) => name ?? this.#options.election));
    for (const { mark, instance, key } of found) this.#start(mark, instance, key, guarded);
    for (const name of guarded)
      this.#run(`the leadership of ${name}`, () =>
        this.election(name).lead(({ ended }) => ended, { signal: this.#stop.signal }),
      );
  }

  /** Called by NestJS: stops the work, waits for it, releases what this replica leads. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#running);
    await Promise.allSettled([...this.#open.values()].map(({ election }) => election.close()));
    await this.#closeEngine();
  }

  #start(mark: Mark, instance: object, key: string, guarded: ReadonlySet<string>): void {
    const call = (argument: unknown): unknown =>
      (instance as Record<string, (argument: unknown) => unknown>)[key]!(argument);
    const where = placeOf(instance, key);
    const { signal } = this.#stop;
    if (mark.kind === 'cron') {
      const { election, name = where, ...options } = mark.options;
      const record = election ?? `${this.#options.election}.cron`;
      if (guarded.has(record)) throw taken(where, record);
      this.#run(where, () =>
        this.election(record).schedule(mark.line, call, { ...options, series: name, signal }),
      );
    } else if (mark.kind === 'lead') {
      const name = mark.election ?? this.#options.election;
      if (guarded.has(name)) throw taken(where, name);
      this.#run(where, () => this.election(name).lead(call, { signal }));
    }
  }

  /** An error of a schedule or of a leader's work ends that, and is logged. */
  #run(where: string, work: () => Promise<unknown>): void {
    const running = work().catch((error: Error) => {
      if (!this.#stop.signal.aborted)
        this.#options.log({ level: 'warning', message: `${where} has ended: ${error.message}` });
    });
    this.#running.add(running);
    void running.then(() => this.#running.delete(running));
  }

  #opened(name: string): Open {
    const known = this.#open.get(name);
    if (known !== undefined) return known;
    if (this.#stop.signal.aborted) throw new CaucusError('E_CLOSED', 'the application is shutting down');
    const { drainMs } = this.#options;
    const election = new Election(name, this.#engine, drainMs === undefined ? {} : { drainMs });
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const open: Open = { election, state: null, answered };
    this.#open.set(name, open);
    void (async () => {
      for await (const state of election.observe()) {
        open.state = state;
        if (state.isKnown) answer();
      }
    })();
    return open;
  }

  #marked(): Marked[] {
    const instances = [...this.#discovery.getProviders(), ...this.#discovery.getControllers()]
      .map(({ instance }) => instance)
      .filter((each): each is object => typeof each === 'object' && each !== null);
    return [...new Set(instances)].flatMap((instance) =>
      methodsOf(instance).flatMap(({ key, method }) =>
        marksOf(method).map((mark) => ({ mark, instance, key })),
      ),
    );
  }
}

function placeOf(instance: object, key: string): string {
  return `${instance.constructor.name}.${key}`;
}

/** An application with a schedule that cannot run does not start. */
async function checkSchedule({ mark, instance, key }: Marked): Promise<void> {
  if (mark.kind !== 'cron') return;
  try {
    await fireTimes(mark.line, mark.options.timezone ?? 'UTC');
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    throw new BadInput(`${placeOf(instance, key)}: @LeaderCron`, error.expected, error.found);
  }
}

async function atMost(ms: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, late]);
  clearTimeout(timer);
}

/** `lead` waits for its turn beside the leadership that `@OnlyLeader` keeps, and would never get it. */
function taken(where: string, election: string): CaucusError {
  return new CaucusError(
    'E_REFUSED',
    `${where}: ${election} is the election of @OnlyLeader; name another one`,
  );
}

/** Also those that are inherited. Getters are not called. */
function methodsOf(instance: object): { readonly key: string; readonly method: unknown }[] {
  const found = new Map<string, unknown>();
  for (
    let at = Object.getPrototypeOf(instance);
    at && at !== Object.prototype;
    at = Object.getPrototypeOf(at)
  ) {
    for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (!found.has(key)) found.set(key, value);
  }
  return [...found].map(([key, method]) => ({ key, method }));
}
