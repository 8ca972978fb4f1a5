/**
 * Calls a callback of the user. If it throws, the error is rethrown later, on its own: it must not keep other
 * listeners from being called, nor a step of an election from being finished.
 */
export function isolate(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
