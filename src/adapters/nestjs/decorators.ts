import { BadInput, show } from '../../core/index.ts';
import type { ScheduleOptions } from '../../election/index.ts';

export interface LeaderCronOptions extends Omit<ScheduleOptions, 'signal' | 'series'> {
  /** What the schedule is called where its runs are recorded (default: the names of class and method). */
  readonly name?: string;
  /** The election that keeps the record (default: that of the module, with `.cron` behind it). */
  readonly election?: string;
}

/** What a decorated method is for. */
export type Mark =
  | { readonly kind: 'cron'; readonly line: string; readonly options: LeaderCronOptions }
  | { readonly kind: 'lead'; readonly election: string | null }
  | { readonly kind: 'only-leader'; readonly election: string | null };

// biome-ignore lint/suspicious/noExplicitAny: a decorator has to fit methods of all kinds.
type Method = (...args: any[]) => any;
type MethodDecoratorOf = (target: object, key: string | symbol, descriptor: PropertyDescriptor) => void;

const marks = new WeakMap<Method, Mark[]>();

export function marksOf(method: unknown): readonly Mark[] {
  return typeof method === 'function' ? (marks.get(method as Method) ?? []) : [];
}

/** What `@OnlyLeader` asks: does this object's application lead? Set for each object when the application starts. */
export const leads: WeakMap<object, (election: string | null) => boolean> = new WeakMap();

function mark(descriptor: PropertyDescriptor, added: Mark): void {
  const method = descriptor.value as Method;
  marks.set(method, [...marksOf(method), added]);
}

/**
 * Runs the method once at each fire time of the cron line ("0 3 * * *"), on one of all replicas. It gets the context of
 * `election.once`: `occasion`, `token`, `signal`, `assert`, `attempt`.
 */
export function LeaderCron(line: string, options: LeaderCronOptions = {}): MethodDecoratorOf {
  if (typeof line !== 'string' || line === '')
    throw new BadInput('@LeaderCron', 'a cron line, as in "0 3 * * *"', show(line));
  return (_, __, descriptor) => mark(descriptor, { kind: 'cron', line, options });
}

/** Calls the method each time this replica wins, with the leadership; its end is the end of that leadership. */
export function Lead(election?: string): MethodDecoratorOf {
  return (_, __, descriptor) => mark(descriptor, { kind: 'lead', election: election ?? null });
}

/**
 * Lets the method run on the leader alone; elsewhere a call does nothing and returns undefined. May stand above or below decorators of
 * other packages, such as `@Cron` and `@Interval` of @nestjs/schedule. A leader that changes may skip a fire time or run it twice:
 * `@LeaderCron` does not.
 */
export function OnlyLeader(election?: string): MethodDecoratorOf {
  return (_, key, descriptor) => {
    const original = descriptor.value as Method;
    const guarded = function (this: object, ...args: unknown[]): unknown {
      const ask = leads.get(this);
      if (ask === undefined) {
        const where = `${this.constructor.name}.${String(key)}`;
        throw new BadInput(
          where,
          'a provider of an application that has CaucusModule and has started',
          'another',
        );
      }
      return ask(election ?? null) ? original.apply(this, args) : undefined;
    };
    Object.defineProperty(guarded, 'name', { value: original.name });
    copyMetadata(original, guarded);
    marks.set(guarded, [...marksOf(original), { kind: 'only-leader', election: election ?? null }]);
    descriptor.value = guarded;
  };
}

/** What other decorators have written on the method. `reflect-metadata` is part of every NestJS application. */
function copyMetadata(from: Method, to: Method): void {
  const reflect = Reflect as unknown as {
    getOwnMetadataKeys?(target: object): unknown[];
    getOwnMetadata?(key: unknown, target: object): unknown;
    defineMetadata?(key: unknown, value: unknown, target: object): void;
  };
  for (const key of reflect.getOwnMetadataKeys?.(from) ?? [])
    reflect.defineMetadata!(key, reflect.getOwnMetadata!(key, from), to);
}
