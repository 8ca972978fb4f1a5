/** What the adapters for HTTP frameworks share. */
export { attachUpgrades, type MountedMember, type MountOptions, pathOf, readOnly } from './attach.ts';
export { answer, REFUSED } from './forward.ts';
export { type Health, healthOf } from './health.ts';
export {
  type Decision,
  decide,
  FORWARDED,
  type LeaderOnlyOptions,
  type Routing,
  routingOf,
} from './leader-only.ts';
