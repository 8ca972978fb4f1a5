export type { HostClock } from './clock.ts';
export type { Change, Hold } from './hold.ts';
export { DISK_RETRY_MS } from './outbox.ts';
export type { HostPorts } from './ports.ts';
export { NO_VIEW, ProtocolHost } from './protocol-host.ts';
