import type { MemberId } from '../../../../src/core/index.ts';
import type { Flight } from './flights.ts';
import { type History, type MemberShot, openAt } from './history.ts';

/** The state of everything at one moment. */
export interface Frame {
  readonly ms: number;
  readonly members: readonly MemberShot[];
  readonly flights: readonly Flight[];
  /** The blocked links, as `from>to`. */
  readonly blocked: ReadonlySet<string>;
  /** The members that believe they lead, and which of them may act. */
  readonly claiming: readonly {
    readonly member: MemberId;
    readonly term: number | null;
    readonly fromMs: number;
  }[];
  readonly acting: readonly MemberId[];
}

const NOTHING: ReadonlySet<string> = new Set();

export function frameAt(history: History, ms: number): Frame {
  const members: MemberShot[] = [];
  for (const id of history.members) {
    const shot = history.memberAt(id, ms);
    if (shot !== undefined) members.push(shot);
  }
  return {
    ms,
    members,
    flights: history.flights.inAirAt(ms),
    blocked: history.blocked.at(ms) ?? NOTHING,
    claiming: openAt(history.claims, ms).map(({ member, term, fromUs }) => ({
      member,
      term,
      fromMs: fromUs / 1000,
    })),
    acting: openAt(history.acting, ms).map(({ member }) => member),
  };
}
