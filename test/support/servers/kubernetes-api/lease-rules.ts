/**
 * How the API server reads a Lease, and what it refuses: written after `metav1.MicroTime`, `ValidateObjectMeta` and
 * `ValidateLeaseSpec` of Kubernetes.
 */
import { badRequest, invalid } from './status.ts';

export interface StoredLease {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec: Record<string, unknown>;
}

export interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly creationTimestamp?: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
}

const TYPES = {
  holderIdentity: readString,
  leaseDurationSeconds: readInt32,
  acquireTime: readMicroTime,
  renewTime: readMicroTime,
  leaseTransitions: readInt32,
  strategy: readString,
  preferredHolder: readString,
};

/** What it can understand of a body. What it does not know it drops. */
export function decodeLease(text: string): StoredLease {
  let body: Record<string, unknown>;
  try {
    body = JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw badRequest(
      'the object provided is unrecognized (must be of type Lease): couldn’t get version/kind',
    );
  }
  if (body?.apiVersion !== 'coordination.k8s.io/v1' || body.kind !== 'Lease')
    throw badRequest(`${body?.apiVersion}, Kind=${body?.kind} cannot be handled as a Lease`);
  const given = (body.metadata ?? {}) as Record<string, unknown>;
  const fields = (body.spec ?? {}) as Record<string, unknown>;
  const spec: Record<string, unknown> = {};
  for (const [field, read] of Object.entries(TYPES)) {
    const value = fields[field];
    if (value !== undefined && value !== null) spec[field] = read(value, `spec.${field}`);
  }
  const metadata: Record<string, unknown> = {};
  for (const field of ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp']) {
    if (given[field] !== undefined && given[field] !== null)
      metadata[field] = readString(given[field], field);
  }
  for (const field of ['labels', 'annotations']) {
    const map = given[field];
    if (map === undefined || map === null || Object.keys(map).length === 0) continue;
    for (const value of Object.values(map)) readString(value, `metadata.${field}`);
    metadata[field] = map;
  }
  return { apiVersion: body.apiVersion, kind: body.kind, metadata: metadata as unknown as Metadata, spec };
}

function unreadable(field: string, why: string): Error {
  return badRequest(`Lease in version "v1" cannot be handled as a Lease: ${field}: ${why}`);
}

function readString(value: unknown, field: string): string {
  if (typeof value === 'string') return value;
  throw unreadable(field, `json: cannot unmarshal ${typeof value} into Go struct field of type string`);
}

function readInt32(value: unknown, field: string): number {
  if (Number.isInteger(value) && Math.abs(value as number) < 2 ** 31) return value as number;
  throw unreadable(
    field,
    `json: cannot unmarshal ${typeof value} ${value} into Go struct field of type int32`,
  );
}

/** `2006-01-02T15:04:05.000000Z07:00`: exactly six digits. It is written in UTC. */
function readMicroTime(value: unknown, field: string): string {
  const text = readString(value, field);
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{6})(Z|[+-]\d\d:\d\d)$/.exec(text);
  const ms = parts === null ? Number.NaN : Date.parse(`${parts[1]}${parts[3]}`);
  if (!Number.isNaN(ms)) return new Date(ms).toISOString().replace('.000Z', `${parts![2]}Z`);
  const layout = '2006-01-02T15:04:05.000000Z07:00';
  throw unreadable(field, `parsing time "${text}" as "${layout}": cannot parse it as ".000000"`);
}

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = new RegExp(`^${LABEL}(\\.${LABEL})*$`);
const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const MOST_ANNOTATION_BYTES = 256 * 1024;

export function validateLease({ metadata, spec }: StoredLease): void {
  const { name } = metadata;
  if (!name) throw invalid('', 'metadata.name', 'Required value: name or generateName is required');
  if (name.length > 253 || !SUBDOMAIN.test(name))
    throw invalid(
      name,
      'metadata.name',
      `Invalid value: "${name}": a lowercase RFC 1123 subdomain must consist of …`,
    );
  let bytes = 0;
  for (const [key, value] of Object.entries(metadata.annotations ?? {})) {
    const [last = '', prefix, ...more] = key.split('/').reverse();
    const isQualified =
      more.length === 0 &&
      last.length <= 63 &&
      QUALIFIED.test(last) &&
      (prefix === undefined || (prefix.length <= 253 && SUBDOMAIN.test(prefix)));
    if (!isQualified)
      throw invalid(name, 'metadata.annotations', `Invalid value: "${key}": name part must consist of …`);
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > MOST_ANNOTATION_BYTES)
    throw invalid(
      name,
      'metadata.annotations',
      `Too long: may not be more than ${MOST_ANNOTATION_BYTES} bytes`,
    );
  const { leaseDurationSeconds, leaseTransitions, strategy, preferredHolder } = spec;
  if (typeof leaseDurationSeconds === 'number' && leaseDurationSeconds <= 0)
    throw invalid(
      name,
      'spec.leaseDurationSeconds',
      `Invalid value: ${leaseDurationSeconds}: must be greater than 0`,
    );
  if (typeof leaseTransitions === 'number' && leaseTransitions < 0)
    throw invalid(
      name,
      'spec.leaseTransitions',
      `Invalid value: ${leaseTransitions}: must be greater than or equal to 0`,
    );
  if (typeof strategy === 'string' && strategy !== 'OldestEmulationVersion' && !strategy.includes('/'))
    throw invalid(
      name,
      'spec.strategy',
      'Invalid value: must be a built-in strategy or of the form domain/name',
    );
  if (preferredHolder && !strategy)
    throw invalid(name, 'spec.preferredHolder', 'Forbidden: may only be specified if `strategy` is defined');
}
