export type { HostClock } from './clock.ts';
export { gone } from './explain.ts';
export { type Change, type Hold, type Lease, NO_VIEW } from './hold.ts';
export { DISK_RETRY_MS } from './outbox.ts';
export type { HostPorts } from './ports.ts';
export { ProtocolHost } from './protocol-host.ts';
export type { Rest, Resting } from './resting.ts';
