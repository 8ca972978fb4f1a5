import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type Metadata, type StoredLease, validateLease } from './lease-rules.ts';
import { alreadyExists, conflict, invalid, notFound, Refusal } from './status.ts';

export interface LeaseEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: StoredLease;
  readonly revision: number;
}

/** So many events are remembered for those who watch; it is little, so that tests meet the end of it. */
const HISTORY = 50;

/** All Leases, as a registry of Kubernetes keeps them in etcd: one revision counts for everything. */
export class LeaseRegistry {
  readonly #file: string;
  readonly #leases: Map<string, StoredLease>;
  readonly #history: LeaseEvent[] = [];
  readonly #watchers = new Set<(event: LeaseEvent) => void>();
  revision: number;
  /** Of what came before this one nothing is remembered. */
  #oldest: number;

  constructor(file: string) {
    this.#file = file;
    const saved = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { revision: 1000, leases: [] };
    this.revision = saved.revision;
    this.#oldest = saved.revision;
    this.#leases = new Map(saved.leases);
  }

  get(namespace: string, name: string): StoredLease {
    const found = this.#leases.get(`${namespace}/${name}`);
    if (found === undefined) throw notFound(name);
    return found;
  }

  list(namespace: string): StoredLease[] {
    return [...this.#leases.values()].filter(({ metadata }) => metadata.namespace === namespace);
  }

  create(namespace: string, lease: StoredLease): StoredLease {
    const { name, resourceVersion } = lease.metadata;
    validateLease(lease);
    if (resourceVersion)
      throw new Refusal(500, 'InternalError', 'resourceVersion should not be set on objects to be created');
    if (this.#leases.has(`${namespace}/${name}`)) throw alreadyExists(name);
    const { uid: _, ...given } = lease.metadata;
    const creationTimestamp = `${new Date().toISOString().slice(0, 19)}Z`;
    return this.#save('ADDED', {
      ...lease,
      metadata: { ...given, namespace, uid: randomUUID(), creationTimestamp },
    });
  }

  /** Leases may be created by an update, and never be updated without a version. */
  update(namespace: string, lease: StoredLease): StoredLease {
    const { name, uid, resourceVersion } = lease.metadata;
    const existing = this.#leases.get(`${namespace}/${name}`);
    if (uid !== undefined && uid !== existing?.metadata.uid) {
      const key = `/registry/leases/${namespace}/${name}`;
      const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${existing?.metadata.uid ?? ''}`;
      throw conflict(
        name,
        `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
      );
    }
    if (existing === undefined) {
      const { resourceVersion: _, ...metadata } = lease.metadata;
      return this.create(namespace, { ...lease, metadata });
    }
    if (!resourceVersion)
      throw invalid(name, 'metadata.resourceVersion', 'Invalid value: 0: must be specified for an update');
    if (resourceVersion !== existing.metadata.resourceVersion)
      throw conflict(
        name,
        'the object has been modified; please apply your changes to the latest version and try again',
      );
    validateLease(lease);
    const kept = existing.metadata;
    const metadata: Metadata = {
      ...lease.metadata,
      ...{ namespace, resourceVersion, uid: kept.uid!, creationTimestamp: kept.creationTimestamp! },
    };
    const updated = { ...lease, metadata };
    // What changes nothing is not written.
    if (canonical(updated) === canonical(existing)) return existing;
    return this.#save('MODIFIED', updated);
  }

  delete(namespace: string, name: string): StoredLease {
    const deleted = this.get(namespace, name);
    this.#leases.delete(`${namespace}/${name}`);
    return this.#tell('DELETED', deleted);
  }

  /** The events after this revision, or null if they are no longer remembered; then calls with every other. */
  since(revision: number): LeaseEvent[] | null {
    return revision < this.#oldest ? null : this.#history.filter((event) => event.revision > revision);
  }

  watch(onEvent: (event: LeaseEvent) => void): () => void {
    this.#watchers.add(onEvent);
    return () => this.#watchers.delete(onEvent);
  }

  #save(type: 'ADDED' | 'MODIFIED', lease: StoredLease): StoredLease {
    return this.#tell(type, lease);
  }

  /** Other things are written in a cluster too, so the next revision is some way on. */
  #tell(type: LeaseEvent['type'], lease: StoredLease): StoredLease {
    this.revision += 1 + Math.floor(Math.random() * 3);
    const metadata = { ...lease.metadata, resourceVersion: String(this.revision) };
    const object = { ...lease, metadata };
    if (type !== 'DELETED') this.#leases.set(`${metadata.namespace}/${metadata.name}`, object);
    writeFileSync(
      `${this.#file}.new`,
      JSON.stringify({ revision: this.revision, leases: [...this.#leases] }),
    );
    renameSync(`${this.#file}.new`, this.#file);
    const event = { type, object, revision: this.revision };
    this.#history.push(event);
    if (this.#history.length > HISTORY) this.#oldest = this.#history.shift()!.revision;
    for (const watcher of [...this.#watchers]) watcher(event);
    return object;
  }
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each) =>
    each !== null && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
