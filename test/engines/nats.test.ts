import { nats } from '../../src/engines/nats/index.ts';
import { describeEngine } from '../support/engine-suite.ts';
import { hasNats, NatsServer } from '../support/servers/nats.ts';

describeEngine('NATS', hasNats(), {
  leaseMs: 1000,
  start: async () => [await NatsServer.start()],
  // A bucket holds leases of one length.
  open: ([port], options) =>
    nats(`nats://127.0.0.1:${port}`, { bucket: `caucus-${options.leaseMs}`, ...options }),
});
