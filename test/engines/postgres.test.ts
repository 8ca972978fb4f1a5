import { postgres } from '../../src/engines/postgres/index.ts';
import { describeEngine } from '../support/engine-suite.ts';
import { hasPostgres, PostgresServer } from '../support/servers/postgres.ts';

describeEngine('PostgreSQL', hasPostgres(), {
  leaseMs: 1000,
  start: async () => [await PostgresServer.start()],
  open: ([port], options, [server]) => postgres(server!.urlAt(port!), options),
});
