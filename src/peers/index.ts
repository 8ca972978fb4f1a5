export type { About, Decision, Verdict } from './decision.ts';
export type { Closing, ConnectionId, PeerEvent } from './event.ts';
export {
  earlierThanThis,
  FEATURES,
  type Feature,
  type Identity,
  named,
  type ProcessIdentity,
  sharedId,
  TAKES_LISTS,
} from './identity.ts';
export { type LinkRefusal, type Refused, timingDifference } from './objection.ts';
export { DEFAULT_PEER_OPTIONS, type PeerOptions } from './options.ts';
export { Peers } from './peers.ts';
export {
  type DeathReport,
  type Disbelief,
  disbeliefWords,
  type HostIdentity,
  isSameHost,
  TAKES_REPORTS,
  type TrustedWitnesses,
} from './witness.ts';
