import { keepCompiled } from './compiled.ts';
import { installDebian } from './debian.ts';

/** All servers that the tests talk to, and the browser that they look with: installed once, before tests run side by side. */
const PACKAGES = [
  'haproxy',
  'etcd-server',
  'etcd-client',
  'postgresql',
  'pgbouncer',
  'redis-server',
  'redis-tools',
  'nats-server',
  'faketime',
  'openssl',
  'systemd',
  'iproute2',
  'iptables',
  'chromium',
];

export default function install(): () => void {
  const problem = installDebian(PACKAGES);
  if (problem !== null) process.stderr.write(`${problem}\n`);
  return keepCompiled();
}
