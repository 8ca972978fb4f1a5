import type { JetStreamManager, StreamConfig } from '@nats-io/jetstream';
import type { Kvm } from '@nats-io/kv';
import { CaucusError } from '../../election/index.ts';
import type { Settings } from './settings.ts';
import { isBucketMissing } from './trouble.ts';

const NANOSECONDS = 1_000_000;

/** The stream behind a bucket. */
export function streamOf(bucket: string): string {
  return `KV_${bucket}`;
}

/** Creates the buckets that are missing. Rejects if one is there that cannot serve. */
export async function ensureBuckets(kvm: Kvm, jsm: JetStreamManager, settings: Settings): Promise<void> {
  const { bucket, values, replicas, times } = settings;
  const leases = await ensure(kvm, jsm, bucket, { replicas: replicas ?? 1, ttl: times.leaseMs });
  checkReplicas(bucket, leases, replicas);
  const ttlMs = leases.max_age / NANOSECONDS;
  if (ttlMs !== times.leaseMs) {
    const has = ttlMs === 0 ? 'no TTL' : `a TTL of ${ttlMs} ms`;
    const remedy = `${ttlMs === 0 ? '' : `set leaseMs to ${ttlMs}, or `}name another bucket with the option bucket`;
    refuse(`the bucket ${bucket} has ${has}, not leaseMs ${times.leaseMs}: ${remedy}`);
  }
  if (values === null) return;
  const kept = await ensure(kvm, jsm, values, { replicas: replicas ?? 1 });
  checkReplicas(values, kept, replicas);
  if (kept.max_age === 0 && kept.storage === 'file') return;
  refuse(`the bucket ${values} must have no TTL and be kept in files, since tokens may not be forgotten`);
}

async function ensure(
  kvm: Kvm,
  jsm: JetStreamManager,
  bucket: string,
  options: { readonly replicas: number; readonly ttl?: number },
): Promise<StreamConfig> {
  const look = async (): Promise<StreamConfig> => (await jsm.streams.info(streamOf(bucket))).config;
  try {
    return await look();
  } catch (error) {
    if (!isBucketMissing(error)) throw error;
  }
  // Another process may do the same at this moment: what counts is what is there afterwards.
  const made = kvm.create(bucket, { ...options, history: 1, allow_direct: false });
  const failure = await made.then(
    () => null,
    (error: unknown) => ({ error }),
  );
  return await look().catch((error: unknown) => {
    throw failure === null ? error : failure.error;
  });
}

function checkReplicas(bucket: string, config: StreamConfig, replicas: number | undefined): void {
  if (replicas === undefined || config.num_replicas === replicas) return;
  const remedy = `leave the option replicas out, or have an operator change it (nats stream edit ${streamOf(bucket)})`;
  refuse(`the bucket ${bucket} is kept ${config.num_replicas} times, not ${replicas}: ${remedy}`);
}

function refuse(message: string): never {
  throw new CaucusError('E_REFUSED', message);
}
