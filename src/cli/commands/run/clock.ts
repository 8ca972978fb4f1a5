/**
 * The monotonic clock in milliseconds, the same for all processes of a machine. (`performance.now()` counts from the
 * start of each process.)
 */
export function machineNowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
