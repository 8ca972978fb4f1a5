import type { Answer, Connection, LineReader } from './connection.ts';
import type { Lease, LeaseSpec } from './lease-object.ts';

/** The API server refused the request; it had no effect. */
export class ApiError extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
  }
}

/** How long one stream lasts at most, so that a dead one gets replaced. */
const WATCH_SECONDS = 300;

/** The four requests that we make, which are also all that the role has to allow. */
export class Api {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The current Lease, never from a cache. Null: there is none. */
  async get(name: string, signal: AbortSignal): Promise<Lease | null> {
    const answer = await this.#connection.ask({ method: 'GET', path: `leases/${name}` }, signal);
    if (isNoLease(answer)) return null;
    return leaseOf(answer);
  }

  /** Null: it already exists. */
  async create(name: string, spec: LeaseSpec, signal: AbortSignal): Promise<Lease | null> {
    const body = (namespace: string): Lease => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace },
      spec,
    });
    const answer = await this.#connection.ask({ method: 'POST', path: 'leases', body }, signal);
    return answer.status === 409 ? null : leaseOf(answer);
  }

  /** Replaces exactly the version given. Null: it has changed meanwhile, or is gone. */
  async update(lease: Lease, signal: AbortSignal): Promise<Lease | null> {
    const { name } = lease.metadata;
    const body = (): Lease => lease;
    const answer = await this.#connection.ask({ method: 'PUT', path: `leases/${name}`, body }, signal);
    return answer.status === 409 || isNoLease(answer) ? null : leaseOf(answer);
  }

  /**
   * Calls back with every event after this version; without a version, with the current state and every event from
   * now on.
   */
  async watch(
    name: string,
    resourceVersion: string | null,
    signal: AbortSignal,
    reader: LineReader,
  ): Promise<void> {
    const query = new URLSearchParams({
      watch: '1',
      fieldSelector: `metadata.name=${name}`,
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(WATCH_SECONDS),
      ...(resourceVersion === null ? {} : { resourceVersion }),
    });
    const answer = await this.#connection.lines({ method: 'GET', path: `leases?${query}` }, signal, reader);
    if (answer !== null) throw refusalOf(answer);
  }

  close(): void {
    this.#connection.close();
  }
}

interface Status {
  readonly kind?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: { readonly kind?: string };
}

/** The status object of an error answer; empty if there is none. */
function statusOf({ text }: Answer): Status {
  try {
    const parsed = JSON.parse(text) as Status | null;
    return parsed?.kind === 'Status' ? parsed : {};
  } catch {
    return {};
  }
}

/** A 404 may also be about the namespace or the API. */
function isNoLease(answer: Answer): boolean {
  const { reason, details } = statusOf(answer);
  return answer.status === 404 && reason === 'NotFound' && details?.kind === 'leases';
}

function leaseOf(answer: Answer): Lease {
  if (answer.status !== 200 && answer.status !== 201) throw refusalOf(answer);
  try {
    const lease = JSON.parse(answer.text) as Lease | null;
    if (lease?.kind === 'Lease' && typeof lease.metadata === 'object') return lease;
  } catch {
    // Reported below.
  }
  throw new ApiError('no Kubernetes API answers there (HTTP 200, but no Lease)', answer.status);
}

function refusalOf(answer: Answer): ApiError {
  const { status } = answer;
  const { message = '' } = statusOf(answer);
  switch (status) {
    case 401:
      return new ApiError(
        'the API server rejects our credentials (401): the token is wrong or has expired',
        status,
      );
    case 403:
      return new ApiError(
        `the API server forbids it; the role needs get, create, update, watch on leases: ${message}`,
        status,
      );
    case 429:
      return new ApiError('the API server is overloaded (429)', status);
    default:
      if (message === '') return new ApiError(`no Kubernetes API answers there (HTTP ${status})`, status);
      return new ApiError(`the API server said: ${message} (${status})`, status);
  }
}
