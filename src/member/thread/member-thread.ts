/**
 * The thread in which a member with `isolate` runs. It renews its leases while the main thread is busy, but only as long
 * as that answers: a leader whose program hangs for ever must not keep the leadership.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { CaucusError, type Why } from '../../election/index.ts';
import { join } from '../join.ts';
import type { Member } from '../member.ts';
import type { Occupant } from '../steward.ts';
import { Line } from './line.ts';
import { ServedSeat } from './served-seat.ts';
import {
  type MainSide,
  type MemberSide,
  type MembershipCommands,
  NS_PER_MS,
  sharedNs,
  type ThreadData,
} from './sides.ts';

const { options, answeredNs, maxStallMs } = workerData as ThreadData;
const answered = new BigInt64Array(answeredNs);
/** How often the end of a lease is written anew, and the main thread looked at. */
const LOOK_MS = Math.max(2, Math.min(50, maxStallMs / 20));

/** On the clock that all threads share. */
const answeredMs = (): number => Number(Atomics.load(answered, 0)) / NS_PER_MS;
const trustedUntilMs = (): number => answeredMs() + maxStallMs;
const seats = new Map<string, ServedSeat>();
const endings = new Map<number, () => Promise<void>>();
let lastEnding = 0;

const joined = join({ ...options, log: (entry) => line.tell('log', entry) });
joined.catch(() => {}); // `introduce` tells.

async function served(election: string): Promise<ServedSeat> {
  await joined;
  const seat = seats.get(election);
  if (seat === undefined) throw new CaucusError('E_CLOSED', `the election ${election} was closed`);
  return seat;
}

const ours: MemberSide = {
  introduce: async () => {
    const { id, cluster, url, mainElection } = await joined;
    return { id, cluster, url, mainElection };
  },
  open: async (election) => {
    const member = await joined;
    seats.set(
      election,
      new ServedSeat(member.seat(election), trustedUntilMs, (standing) => {
        line.tell('standing', election, standing);
      }),
    );
  },
  occupy: async (election) => (await joined).opened(occupant(election)),
  stand: async (election) => (await served(election)).stand(),
  withdraw: async (election, why) => (await served(election)).withdraw(why),
  resign: async (election, key, why) => (await served(election)).resign(key, why),
  transfer: async (election, to) => (await served(election)).seat.transfer(to),
  publish: async (election, value) => (await served(election)).seat.publish(value),
  leave: async (election) => {
    const seat = await served(election);
    seats.delete(election);
    await seat.close();
  },
  finish: async (ending) => endings.get(ending)?.(),
  change: (async (what: keyof MembershipCommands, given: unknown[]) => {
    const { membership, definition } = await joined;
    if (membership === null)
      throw new CaucusError('E_REFUSED', `the members of ${definition.name} are not changed by commands`);
    const command = membership[what] as (...given: unknown[]) => Promise<unknown>;
    return command.apply(membership, given);
  }) as MemberSide['change'],
  close: async () => {
    clearInterval(looking);
    await (await joined).close();
  },
};
const line = new Line<MainSide>(parentPort!, ours);

/** An election of the program in the main thread: its work is stopped there before a command ends its leadership here. */
function occupant(name: string): Occupant {
  return {
    name,
    get occupation() {
      return seats.get(name)?.isHeld === true ? { ending: null } : null;
    },
    resign: () => line.call('resignWork', name),
    transfer: (to) => line.call('transferWork', name, to),
    end: async (lost, how) => {
      lastEnding += 1;
      const ending = lastEnding;
      endings.set(ending, how);
      await line.call('endWork', name, lost, ending).finally(() => endings.delete(ending));
    },
    close: async () => {}, // The main thread closes its elections before it closes the member.
  };
}

let isStalled = false;

function look(member: Member): void {
  const lateMs = Number(sharedNs()) / NS_PER_MS - answeredMs();
  if (lateMs < maxStallMs) {
    for (const seat of seats.values()) {
      seat.renew();
      seat.onAnswer();
    }
    isStalled = false;
    return;
  }
  const why: Why = {
    cause: 'event-loop-blocked',
    detail: `the main thread of its program did not answer for ${(lateMs / 1000).toFixed(1)} s`,
  };
  if (!isStalled) line.tell('log', { level: 'warning', message: `${member.id}: ${why.detail}` });
  isStalled = true;
  for (const seat of seats.values()) void seat.onStall(why);
}

const looking = setInterval(() => void joined.then(look, () => {}), LOOK_MS);
