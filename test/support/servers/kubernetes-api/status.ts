/** What the API server answers instead of an object. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: object;
  readonly status: 'Failure' | 'Success';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: object;
  readonly code: number;
}

/** Ends a request. */
export class Refusal extends Error {
  readonly status: Status;

  constructor(code: number, reason: string, message: string, details?: object) {
    super(message);
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      ...(details === undefined ? {} : { details }),
      code,
    };
  }
}

const DETAILS = { group: 'coordination.k8s.io', kind: 'leases' };

export function notFound(name: string): Refusal {
  const message = `leases.coordination.k8s.io "${name}" not found`;
  return new Refusal(404, 'NotFound', message, { ...DETAILS, name });
}

export function conflict(name: string, why: string): Refusal {
  const message = `Operation cannot be fulfilled on leases.coordination.k8s.io "${name}": ${why}`;
  return new Refusal(409, 'Conflict', message, { ...DETAILS, name });
}

export function alreadyExists(name: string): Refusal {
  const message = `leases.coordination.k8s.io "${name}" already exists`;
  return new Refusal(409, 'AlreadyExists', message, { ...DETAILS, name });
}

export function invalid(name: string, field: string, message: string): Refusal {
  const whole = `Lease.coordination.k8s.io "${name}" is invalid: ${field}: ${message}`;
  return new Refusal(422, 'Invalid', whole, { ...DETAILS, name, causes: [{ field, message }] });
}

export function badRequest(message: string): Refusal {
  return new Refusal(400, 'BadRequest', message);
}
