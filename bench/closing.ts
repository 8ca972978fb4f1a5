/** What a bench has open, or opens: it is closed at the end, and when the bench is interrupted. */

interface Closable {
  close(): void | Promise<void>;
}

const open = new Set<Promise<Closable>>();
let isInterrupted = false;
/** What is not open by then ends with the channel to the bench: only candidates take longer to open. */
const LONGEST_CLOSE_MS = 10_000;

/** An interruption closes it once it is open. The same promise is given to `using`. */
export function opens<T extends Closable>(opening: Promise<T>): Promise<T> {
  open.add(opening);
  opening.catch(() => open.delete(opening));
  return opening;
}

/** Opens it, uses it, and closes it, whatever happens. */
export async function using<T extends Closable, R>(
  opening: Promise<T>,
  use: (made: T) => Promise<R>,
): Promise<R> {
  const made = await opens(opening);
  try {
    return await use(made);
  } finally {
    // An interruption closes it too, and once is enough.
    if (open.delete(opening)) await made.close();
  }
}

/** Ctrl-C: servers and candidates are processes of their own, which would outlive the bench. A second one does not wait. */
export function closeOnInterrupt(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (isInterrupted) process.exit(130);
      isInterrupted = true;
      setTimeout(() => process.exit(130), LONGEST_CLOSE_MS);
      const all = [...open];
      open.clear();
      const closed = all.map(async (opening) => (await opening).close());
      void Promise.allSettled(closed).then(() => process.exit(130));
    });
  }
}
