/**
 * The lease manager's decisions under faults, in virtual time and from a seed: members elect one manager after another, a manager
 * stops for a while or dies in the middle of a publication, requests and answers are late or lost, participants crash, stop and come
 * back, and clocks run at different rates. The managers and the register behave as the library promises, and no better.
 */
import { Random } from '../../src/core/index.ts';
import {
  type Decision,
  EMPTY_REGISTER,
  LeaseManager,
  type LeaseRegister,
  leaseRegister,
  type Refused,
  type Renewal,
  type Taken,
} from '../../src/leases/index.ts';

const ELECTIONS = ['x', 'y'];
const LEASES_MS = [800, 2000, 5000];
const STEP_MS = 25;
/** The rates of two clocks differ by no more. */
const DRIFT = 0.02;
const MAX_DRIFT = 0.05;

export type Manage = typeof LeaseManager;

interface Reign {
  readonly manager: LeaseManager;
  /** In true time: until then it may answer. */
  endsAtMs: number;
  /** It processes nothing before that. */
  stoppedUntilMs: number;
  readonly rate: number;
  publishing: number | null;
  /** It was killed, or cut off from the others: what it publishes reaches no majority. */
  isLost: boolean;
  waiting: { readonly after: number; readonly answer: () => void }[];
}

interface Participant {
  readonly name: string;
  session: string;
  attempts: number;
  readonly rate: number;
  readonly leaseMs: number;
  stoppedUntilMs: number;
  /** By election. */
  readonly held: Map<string, { token: bigint; untilMs: number }>;
}

/** What went wrong, in words; and how much happened, so that a run in which nothing did is noticed. */
export interface Outcome {
  readonly faults: string[];
  grants: number;
  renewals: number;
  managers: number;
  survivals: number;
}

export function runLeases(seed: number, steps = 1500, Manager: Manage = LeaseManager): Outcome {
  const random = new Random(seed, 'leases');
  const below = (most: number): number => random.below(most);
  const chance = (oneIn: number): boolean => below(oneIn) === 0;
  const rate = (): number => 1 + ((below(1001) - 500) / 500) * DRIFT;
  const outcome: Outcome = { faults: [], grants: 0, renewals: 0, managers: 0, survivals: 0 };
  let nowMs = 0;
  let term = 1n;
  let committed: LeaseRegister = EMPTY_REGISTER;
  let reign = null as Reign | null;
  const events: { readonly atMs: number; readonly order: number; readonly run: () => void }[] = [];
  let order = 0;
  const at = (delayMs: number, run: () => void): void => {
    events.push({ atMs: nowMs + delayMs, order: order++, run });
    events.sort((a, b) => a.atMs - b.atMs || a.order - b.order);
  };
  const greatest = new Map<string, bigint>();
  const granted = new Set<string>();
  const participants: Participant[] = Array.from({ length: 6 }, (_, i) => ({
    name: `p${i}`,
    session: `s${i}-0`,
    attempts: 0,
    rate: rate(),
    leaseMs: LEASES_MS[below(LEASES_MS.length)]!,
    stoppedUntilMs: 0,
    held: new Map(),
  }));
  const clockOf = (one: { readonly rate: number }): number => nowMs * one.rate;

  /** The participant may act, by its own clock. One that is stopped may act as soon as it goes on: its clock decides. */
  const isActing = (one: Participant, election: string): boolean => {
    const held = one.held.get(election);
    return held !== undefined && clockOf(one) < held.untilMs;
  };
  const check = (): void => {
    for (const election of ELECTIONS) {
      const acting = participants.filter((one) => isActing(one, election));
      if (acting.length > 1)
        outcome.faults.push(
          `at ${nowMs} ms ${acting.map(({ name }) => name).join(' and ')} act in ${election}`,
        );
    }
  };

  const mayAnswer = (mine: Reign): boolean => nowMs < mine.endsAtMs && nowMs >= mine.stoppedUntilMs;

  /** In the middle of a publication. It may go on and answer until its lease ends. */
  const lose = (mine: Reign): void => {
    if (mine.endsAtMs !== Number.POSITIVE_INFINITY) return;
    mine.isLost = true;
    mine.endsAtMs = nowMs + below(700);
    elect();
  };
  const publish = (mine: Reign): void => {
    if (mine.publishing !== null) return;
    const draft = mine.manager.draft();
    if (draft === null) return;
    mine.publishing = draft.number;
    if (chance(30)) lose(mine);
    const register = leaseRegister.read(JSON.parse(JSON.stringify(draft.register)), '');
    at(1 + below(30), () => {
      // A majority accepts it as long as no later manager was elected, whether or not this one still lives to hear of it.
      if (reign !== mine || mine.isLost) return;
      committed = register;
      at(1 + below(20), () => onCommitted(mine, draft.number));
    });
  };
  const onCommitted = (mine: Reign, number: number): void => {
    if (nowMs < mine.stoppedUntilMs) return at(mine.stoppedUntilMs - nowMs, () => onCommitted(mine, number));
    if (nowMs >= mine.endsAtMs) return;
    mine.publishing = null;
    mine.manager.commit(number);
    const ready = mine.waiting.filter(({ after }) => after <= number);
    mine.waiting = mine.waiting.filter(({ after }) => after > number);
    for (const { answer } of ready) answer();
    publish(mine);
  };

  /** A request to whatever manager there is when it arrives. The answer may be lost, as the request may be. */
  const ask = <T>(
    decide: (manager: LeaseManager, managerMs: number) => Decision<T> | Refused,
    answered: (answer: T) => void,
  ): void => {
    if (chance(12)) return;
    const delayMs = chance(10) ? below(3000) : below(20);
    const arrive = (): void => {
      const mine = reign;
      if (mine === null || nowMs >= mine.endsAtMs) return;
      if (nowMs < mine.stoppedUntilMs) return at(mine.stoppedUntilMs - nowMs, arrive);
      mine.manager.expire(clockOf(mine));
      const decision = decide(mine.manager, clockOf(mine));
      publish(mine);
      if ('refused' in decision) return;
      const answer = (): void => {
        if (!mayAnswer(mine) || chance(12)) return;
        at(chance(10) ? below(3000) : below(20), () => answered(decision.answer));
      };
      if (decision.after === 0) answer();
      else mine.waiting.push({ after: decision.after, answer });
    };
    at(delayMs, arrive);
  };

  const take = (one: Participant, election: string): void => {
    const { session, leaseMs } = one;
    const attempt = ++one.attempts;
    const sentMs = clockOf(one);
    ask<Taken>(
      (manager, managerMs) =>
        manager.take({ election, session, attempt, name: one.name, leaseMs }, managerMs),
      ({ token }) => {
        // It was restarted, or has stopped waiting for this answer.
        if (token === null || one.session !== session || one.attempts !== attempt) return;
        if (clockOf(one) - sentMs > leaseMs) return;
        const number = BigInt(token);
        if (granted.has(token)) outcome.faults.push(`token ${token} was granted twice`);
        granted.add(token);
        if (number <= (greatest.get(election) ?? 0n))
          outcome.faults.push(`token ${token} of ${election} is not above ${greatest.get(election)}`);
        greatest.set(election, number);
        one.held.set(election, { token: number, untilMs: sentMs + leaseMs * (1 - MAX_DRIFT) });
        outcome.grants += 1;
      },
    );
  };
  const renew = (one: Participant, election: string, token: bigint): void => {
    const { session, leaseMs } = one;
    const sentMs = clockOf(one);
    const managers = outcome.managers;
    ask<Renewal>(
      (manager, managerMs) => manager.renew({ election, session, token: String(token) }, managerMs),
      ({ held }) => {
        const mine = one.held.get(election);
        if (mine?.token !== token || one.session !== session) return;
        if (!held) return void one.held.delete(election);
        if (clockOf(one) >= mine.untilMs) return;
        mine.untilMs = Math.max(mine.untilMs, sentMs + leaseMs * (1 - MAX_DRIFT));
        outcome.renewals += 1;
        if (outcome.managers > managers) outcome.survivals += 1;
      },
    );
  };

  const elect = (): void => {
    // The next manager begins when the lease of the last one is over, in true time, and with the newest register.
    const startMs = Math.max(0, (reign?.endsAtMs ?? 0) - nowMs) + below(300);
    at(startMs, () => {
      term += BigInt(1 + below(3));
      outcome.managers += 1;
      const itsRate = rate();
      const manager = new Manager(committed, term, nowMs * itsRate);
      reign = {
        manager,
        endsAtMs: Number.POSITIVE_INFINITY,
        stoppedUntilMs: 0,
        rate: itsRate,
        publishing: null,
        isLost: false,
        waiting: [],
      };
    });
  };
  elect();

  const pass = (untilMs: number): void => {
    while (events.length > 0 && events[0]!.atMs <= untilMs) {
      const next = events.shift()!;
      nowMs = Math.max(nowMs, next.atMs);
      next.run();
      check();
    }
    nowMs = Math.max(nowMs, untilMs);
    check();
  };
  for (let step = 0; step < steps; step++) {
    pass(step * STEP_MS);
    const current = reign;
    if (current !== null && current.endsAtMs === Number.POSITIVE_INFINITY) {
      if (chance(100)) current.stoppedUntilMs = nowMs + below(1500);
      if (chance(150)) {
        // It dies, is stopped or cut off: it may answer until its lease ends, and another one is elected.
        current.endsAtMs = nowMs + below(700);
        elect();
      }
    }
    const one = participants[below(participants.length)]!;
    const election = ELECTIONS[below(ELECTIONS.length)]!;
    if (nowMs < one.stoppedUntilMs) continue;
    const held = one.held.get(election);
    if (chance(150)) {
      one.session = `${one.name}-${step}`; // kill -9, and a new process.
      one.held.clear();
    } else if (chance(60)) one.stoppedUntilMs = nowMs + below(6000);
    else if (held === undefined || clockOf(one) >= held.untilMs) {
      one.held.delete(election);
      take(one, election);
    } else if (chance(12)) {
      one.held.delete(election);
      const { session } = one;
      ask(
        (manager, managerMs) => manager.release({ election, session, token: String(held.token) }, managerMs),
        () => {},
      );
    } else renew(one, election, held.token);
  }
  return outcome;
}
