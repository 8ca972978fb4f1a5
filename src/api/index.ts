export { type ActStore, actWords } from './acts.ts';
export { type Api, createApi } from './api.ts';
export { Authorization, type VoterCheck, type VoterClaim } from './authorize.ts';
export { readJson } from './body.ts';
export { EventStream, HEARTBEAT_MS, writeEventHead } from './event-stream.ts';
export { HttpError } from './http-error.ts';
export type { LeasePort, LeaseWatcher } from './leases.ts';
export { closeServer, listen, portMismatch, urlOfServer } from './listener.ts';
export { metricsOf } from './metrics.ts';
export { leadsHere, refuseForeignPages } from './origin.ts';
export { type About, createPage, NOT_BUILT, type Page } from './page.ts';
export {
  type CertificateStatus,
  type Change,
  type ClusterVoter,
  type ElectionPort,
  type LinkStatus,
  type MemberPort,
  type MembershipPort,
  noRefusals,
  type Peer,
  type Refusal,
  RefusedMessage,
  type Registered,
  removedWords,
  type TimingPort,
  type WitnessPort,
} from './port.ts';
export { sendEmpty, sendError, sendJson, sendText } from './reply.ts';
export { lackWords } from './status.ts';
export { pathBelow, readTarget, type Target } from './target.ts';
export { addressOf, hostOf, isLoopback, readRelativeUrl, showUrl, urlOf, voterUrl } from './urls.ts';
export type { Act } from './wire/act.ts';
export type { Delays, PeerProblem, RefusalNote, SelfReport } from './wire/diagnosis.ts';
export { deathReport, type NeighbourDocument, processIdentity, witnessAnswer } from './wire/witness.ts';
