/** A resource is locked by another holder. */
export class ResourceLockedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ResourceLockedError';
  }
}

/** A lock could not be acquired, extended or released. `cause` says why. */
export class ExecutionError extends Error {
  /** Always empty. The package `redlock` keeps statistics here. */
  readonly attempts: readonly never[] = [];

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'ExecutionError';
  }
}
