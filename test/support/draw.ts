import type { Json, MemberId } from '../../src/core/index.ts';
import { draw } from '../../src/protocols/draw/index.ts';
import { Solo } from './solo.ts';

interface Setup {
  readonly timing?: object;
  readonly options?: object;
  readonly saved?: Json;
}

/** What a voter says of itself; only what matters to a test is given. */
export function status(knownVoters: readonly MemberId[], about: object = {}): Record<string, unknown> {
  return { role: 'follower', leader: null, term: 0, election: 0, knownVoters, offline: [], ...about };
}

/** Voter `id` of a draw cluster, just started. */
export function starting(id: MemberId, members: readonly MemberId[], setup: Setup = {}): Solo {
  return new Solo(draw, id, members, setup);
}

/** The same, after all the others have answered its registration. */
export function registered(id: MemberId, members: readonly MemberId[], setup: Setup = {}): Solo {
  const solo = starting(id, members, setup);
  for (const other of members) {
    if (other === id) continue;
    solo.hears(other, { type: 'register/answer', ...status(members), configured: members });
  }
  return solo;
}

/** The same, following a leader that won the election of that number. */
export function following(
  leader: MemberId,
  term: number,
  id: MemberId,
  members: readonly MemberId[],
  setup: Setup = {},
): Solo {
  return registered(id, members, setup).hears(leader, {
    type: 'heartbeat',
    ...status(members, { role: 'leader', leader, term, election: term }),
  });
}

/** The same, leading: it drew 9 in an election that it started, and all the others drew less. */
export function leading(id: MemberId, members: readonly MemberId[], setup: Setup = {}): Solo {
  const solo = registered(id, members, setup).command({ type: 'campaign' });
  const { election } = solo.sent('election/start')[0]!.message as unknown as { election: number };
  solo.take({ type: 'drawn', draw: `${election}/1`, value: '9' });
  const others = members.filter((member) => member !== id);
  for (const other of others) solo.hears(other, cast(election, members, '1'));
  for (const other of others) solo.hears(other, { type: 'election/result', election, winner: id });
  for (const other of others) solo.hears(other, { type: 'election/certify', election, winner: id });
  return solo;
}

type Forged = { type: string } & Record<string, unknown>;

export function cast(election: number, voters: readonly MemberId[], number: string, round = 1): Forged {
  return { type: 'election/cast', election, voters, round, number };
}

export function result(election: number, winner: MemberId): Forged {
  return { type: 'election/result', election, winner };
}

export function certify(election: number, winner: MemberId): Forged {
  return { type: 'election/certify', election, winner };
}

/** To whom it sent a message of that type with the latest input. */
export function sentTo(solo: Solo, type: string): MemberId[] {
  return solo.sent(type).map((sent) => sent.to);
}

/** The voters it knows, as its next heartbeat tells them. */
export function knownTo(solo: Solo): readonly MemberId[] {
  const [heartbeat] = solo.timer('heartbeat').sent('heartbeat');
  return (heartbeat!.message as unknown as { knownVoters: MemberId[] }).knownVoters;
}
