/**
 * Where the processes of a lab run: on the loopback of this machine, or each on a host of its own, which is a network
 * namespace with a pid namespace. There, as on different machines, no member sees the processes of the others, and
 * nothing proves a death.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { JoinOptions } from '../../src/member/index.ts';
import { freePorts } from './free-ports.ts';
import { Namespaces, withoutNamespaces } from './namespaces.ts';

const PORT = 7101;

/** How the programs of one place are started, and told something. */
export interface Place {
  spawn(program: readonly string[], options: SpawnOptions): ChildProcess;
  signal(child: ChildProcess, signal: NodeJS.Signals): void;
}

/** Not apart from the test. */
export const HERE: Place = {
  spawn: ([file, ...args], options) => spawn(file!, args, options),
  signal: (child, signal) => void child.kill(signal),
};

export interface Ground {
  /** Where the process at each place listens, in order. */
  readonly listens: readonly { readonly host: string; readonly port: number }[];
  /** The port of a second process at a place, where there is only one of these at a time. */
  readonly secondPort: number;
  /** What its members need here to hear each other. */
  readonly options: JoinOptions;
  /** Counted from 0. */
  place(index: number): Place;
  remove(): void;
}

export type GroundOf = (count: number) => Promise<Ground>;

/** Hosts of their own where this machine lets us make them, else the loopback. */
export function bestGround(count: number): Promise<Ground> {
  return withoutNamespaces() === null ? hostsApart(count) : loopback(count);
}

export async function loopback(count: number): Promise<Ground> {
  const ports = await freePorts(count);
  return {
    listens: ports.map((port) => ({ host: '127.0.0.1', port })),
    secondPort: 0,
    options: {},
    place: () => HERE,
    remove() {},
  };
}

export async function hostsApart(count: number): Promise<Ground> {
  const lab = new Namespaces(count, (address) => `host-${address.split('.').at(-1)}`);
  return {
    listens: Array.from({ length: count }, (_, place) => ({ host: lab.address(place + 1), port: PORT })),
    secondPort: PORT + 1,
    options: { insecure: true },
    place: (index) => ({
      spawn: (program, options) => HERE.spawn(lab.apart(index + 1, ...program), options),
      signal: signalApart,
    }),
    remove: () => lab.remove(),
  };
}

/** The process that we started waits for the program, which is its only child. */
function signalApart({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  process.kill(children === '' ? pid! : Number(children), signal);
}
