import { createServer } from 'node:net';

/** Takes a port of the loopback, unless somebody else has it. Settles with how to give it back, or null. */
function holdPort(port: number): Promise<(() => void) | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => resolve(() => server.close()));
  });
}

/**
 * Runs a test while a port is in use, by us or by somebody else. That one may go at any moment, so the test says whether it
 * found the port in use, and begins again if it did not and nor did we have it.
 */
export async function whileTaken(port: number, test: () => Promise<boolean>): Promise<void> {
  for (;;) {
    const release = await holdPort(port);
    try {
      if (await test()) return;
      if (release !== null) throw new Error(`port ${port} was in use, and nothing was said about it`);
    } finally {
      release?.();
    }
  }
}
