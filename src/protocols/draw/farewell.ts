/** How a voter is removed by request, so that all hear of it, itself included. */
import type { MemberId } from '../../core/index.ts';
import {
  findVoter,
  knownVoters,
  type Membership,
  type MembershipOut,
  removeVoter,
  sendTo,
} from './membership.ts';

/**
 * Removes a voter by request, and repeats the message at every heartbeat, since a message can be lost: until the voter
 * has been silent for `times` heartbeats.
 */
export function startFarewell(s: Membership, id: MemberId, times: number, out: MembershipOut): void {
  const url = findVoter(s, id)?.url ?? null;
  removeVoter(s, id);
  s.farewells.push({ voter: id, url, left: times });
  sendFarewells(s, out);
}

/** A voter that is leaving was heard: it has not been told yet. True if it is leaving. */
export function prolongFarewell(s: Membership, id: MemberId, times: number): boolean {
  const farewell = s.farewells.find(({ voter }) => voter === id);
  if (farewell !== undefined) farewell.left = times;
  return farewell !== undefined;
}

export function sendFarewells(s: Membership, out: MembershipOut): void {
  for (const farewell of s.farewells) {
    const { voter, url } = farewell;
    removeVoter(s, voter);
    const message = { type: 'remove', voterId: voter } as const;
    sendTo(s, voter, message, out, url);
    for (const to of knownVoters(s)) if (to !== s.id) sendTo(s, to, message, out);
    farewell.left -= 1;
  }
  s.farewells = s.farewells.filter((farewell) => farewell.left > 0);
}

/** A voter that is added again, or registers again, is no longer told to leave. */
export function endFarewell(s: Membership, id: MemberId): void {
  s.farewells = s.farewells.filter((farewell) => farewell.voter !== id);
}
