export { type Caucus, type CaucusStoreOptions, caucus } from './caucus.ts';
export { EngineElection } from './engine-election.ts';
export { StoreParticipant } from './store-participant.ts';
