/**
 * caucus/kubernetes: the engine `kubernetes`, and for operators `LeaderElector` with the names and callbacks of client-go, and a keeper
 * of an EndpointSlice, so that a Service follows the leader.
 */
export {
  type AccessOptions,
  type KubeConfigLike,
  type KubernetesOptions,
  kubernetes,
} from '../../engines/kubernetes/index.ts';
export {
  type EndpointSlice,
  EndpointSliceKeeper,
  type EndpointSliceOptions,
  type EndpointSlicesApi,
} from './endpoint-slice-keeper.ts';
export { type LeaderCallbacks, type LeaderElectionConfig, LeaderElector } from './leader-elector.ts';
