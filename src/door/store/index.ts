export { EngineElection } from './engine-election.ts';
export { StoreParticipant } from './store-participant.ts';
