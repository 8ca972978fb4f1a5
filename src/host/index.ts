export type { HostClock } from './clock.ts';
export type { Change, Hold } from './hold.ts';
export { type HostPorts, NO_VIEW, ProtocolHost } from './protocol-host.ts';
