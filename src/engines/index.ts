export type { LeaseEngineOptions } from './lease/index.ts';
export { type EngineOptions, type OpenEngine, openEngine } from './open.ts';
export { shownUrl } from './secrets.ts';
