/**
 * Calls what a user gave us. If it throws, the error is thrown all the same, but later and by itself: it must not keep the
 * others from being told, nor a step of an election from being finished.
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
