import { etcd } from '../../src/engines/etcd/index.ts';
import { describeEngine } from '../support/engine-suite.ts';
import { EtcdServer, hasEtcd } from '../support/servers/etcd.ts';

describeEngine('etcd', hasEtcd(), {
  leaseMs: 2000,
  start: async () => [await EtcdServer.start()],
  open: ([port], options) => etcd(`etcd://127.0.0.1:${port}`, options),
});
