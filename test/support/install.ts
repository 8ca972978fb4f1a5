import { installDebian } from './debian.ts';

/** All servers that the tests talk to: installed once, before tests run side by side. */
const SERVERS = [
  'haproxy',
  'etcd-server',
  'etcd-client',
  'postgresql',
  'pgbouncer',
  'redis-server',
  'redis-tools',
  'nats-server',
  'openssl',
];

export default function install(): void {
  const problem = installDebian(SERVERS);
  if (problem !== null) process.stderr.write(`${problem}\n`);
}
