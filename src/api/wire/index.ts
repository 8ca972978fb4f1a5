/** What goes over HTTP, for both sides. Nothing here needs a server: clients and pages import only this. */
export type { Act } from './act.ts';
export {
  type Diagnosis,
  diagnosis,
  type ElectionDiagnosis,
  type PeerDiagnosis,
} from './diagnosis.ts';
export {
  type ClusterMember,
  clusterMember,
  type ElectionEntry,
  electionEntry,
  electionList,
  type State,
  type Status,
  state,
  status,
  type VoterStatus,
  value,
  voterStatus,
} from './documents.ts';
export { readEvents, type ServerEvent } from './events.ts';
export {
  type ChangeEntry,
  changeEntry,
  type History,
  type HistoryEntry,
  history,
  historyEntry,
} from './history.ts';
export { type Membership, type MembershipEntry, membership } from './membership.ts';
export { type Refused, refused } from './refused.ts';
export { type RunList, runList } from './runs.ts';
export { byName, type Tally, tallyOf } from './tally.ts';
