/**
 * For an engine of your own: implement the calls of a `LeaseStore`, and `LeaseEngine` does the rest, as it does for
 * all engines of this package.
 */

export { type FirstValue, openedBy } from './first-value.ts';
export { LeaseEngine, type LeaseEngineOptions, type OpenEngine, type StoreKind } from './lease-engine.ts';
export type { Call, Grant, LeaseStore, Reading } from './lease-store.ts';
export { type Floor, type LeaseOptions, type LeaseTimes, leaseTimes } from './settings.ts';
