import type { JetStreamManager, StreamConfig } from '@nats-io/jetstream';
import type { Kvm } from '@nats-io/kv';
import { CaucusError } from '../../election/index.ts';
import type { Settings } from './settings.ts';
import { isBucketMissing } from './trouble.ts';

const NANOSECONDS = 1_000_000;
/**
 * With replicas, older servers check the expected revision before they agree on the order of writes: of two that come
 * at once, or after a change of the stream's leader, both may be accepted, and two would lead.
 */
const WITH_REPLICAS = { major: 2, minor: 11 };

/** A server, and its clients. */
interface Server {
  readonly kvm: Kvm;
  readonly jsm: JetStreamManager;
  readonly version: string;
}

/** The stream behind a bucket. */
export function streamOf(bucket: string): string {
  return `KV_${bucket}`;
}

/** The TTL of a bucket; null: there is no such bucket. */
export async function ttlOf(jsm: JetStreamManager, bucket: string): Promise<number | null> {
  try {
    const { config } = await jsm.streams.info(streamOf(bucket));
    return config.max_age === 0 ? Number.POSITIVE_INFINITY : config.max_age / NANOSECONDS;
  } catch (error) {
    if (isBucketMissing(error)) return null;
    throw error;
  }
}

/** Creates the buckets that are missing. Rejects if an existing one is unsuitable. */
export async function ensureBuckets(server: Server, settings: Settings): Promise<void> {
  const { bucket, values, replicas = 1, times } = settings;
  const leases = await look(server, bucket);
  if (leases === null) checkVersion(server.version, bucket, replicas);
  else checkLeases(leases, settings);
  // The values first: observers begin to read when they see the bucket of leases.
  if (values !== null) checkValues(values, await ensure(server, values, { replicas }), settings.replicas);
  if (leases === null) checkLeases(await ensure(server, bucket, { replicas, ttl: times.leaseMs }), settings);
}

async function look({ jsm, version }: Server, bucket: string): Promise<StreamConfig | null> {
  try {
    const { config } = await jsm.streams.info(streamOf(bucket));
    checkVersion(version, bucket, config.num_replicas);
    return config;
  } catch (error) {
    if (isBucketMissing(error)) return null;
    throw error;
  }
}

async function ensure(
  server: Server,
  bucket: string,
  options: { readonly replicas: number; readonly ttl?: number },
): Promise<StreamConfig> {
  const found = await look(server, bucket);
  if (found !== null) return found;
  checkVersion(server.version, bucket, options.replicas);
  // Another process may create it at this moment: what counts is the state afterwards.
  const made = server.kvm.create(bucket, { ...options, history: 1, allow_direct: false });
  const failure = await made.then(
    () => new Error(`the bucket ${bucket} is gone again`),
    (error: unknown) => error,
  );
  const config = await look(server, bucket);
  if (config === null) throw failure;
  return config;
}

function checkLeases(config: StreamConfig, { bucket, replicas, times }: Settings): void {
  checkReplicas(bucket, config, replicas);
  const ttlMs = config.max_age / NANOSECONDS;
  if (ttlMs === times.leaseMs) return;
  const has = ttlMs === 0 ? 'no TTL' : `a TTL of ${ttlMs} ms`;
  const remedy = `${ttlMs === 0 ? '' : `set leaseMs to ${ttlMs}, or `}name another bucket with the option bucket`;
  refuse(`the bucket ${bucket} has ${has}, not leaseMs ${times.leaseMs}: ${remedy}`);
}

function checkValues(values: string, config: StreamConfig, replicas: number | undefined): void {
  checkReplicas(values, config, replicas);
  if (config.max_age === 0 && config.storage === 'file') return;
  refuse(`the bucket ${values} must have no TTL and be kept in files, since tokens must never be lost`);
}

function checkVersion(version: string, bucket: string, replicas: number): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const { major: leastMajor, minor: leastMinor } = WITH_REPLICAS;
  if (replicas === 1 || major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  const remedy = `upgrade all servers to ${leastMajor}.${leastMinor} or newer, or name a bucket with 1 replica`;
  refuse(
    `nats-server ${version} may grant a lease twice in ${bucket}, which has ${replicas} replicas: ${remedy}`,
  );
}

function checkReplicas(bucket: string, config: StreamConfig, replicas: number | undefined): void {
  if (replicas === undefined || config.num_replicas === replicas) return;
  const remedy = `leave the option replicas out, or have an operator change it (nats stream edit ${streamOf(bucket)})`;
  refuse(`the bucket ${bucket} is kept ${config.num_replicas} times, not ${replicas}: ${remedy}`);
}

function refuse(message: string): never {
  throw new CaucusError('E_REFUSED', message);
}
