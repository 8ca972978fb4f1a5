import { createServer } from 'node:net';
import { Refusal } from '../../input/refusal.ts';
import { USUAL_PORT as PAGE_PORT } from '../play/page-server.ts';

const HOST = '127.0.0.1';
const USUAL_BASE = 7101;
const ANSWER_WITHIN_MS = 500;

export interface Ports {
  readonly ports: readonly number[];
  /** The default port that is in use, if others were taken. */
  readonly taken: number | null;
}

/**
 * Ports for this many members: from `base` on (0 is any), or the default ones if they are free, or any. Another
 * process may take them before the members start, most likely another cluster that starts at the same moment; so only
 * the cluster that got the default port of the page uses the default ports.
 */
export async function choosePorts(count: number, base: number | null, hasPagePort: boolean): Promise<Ports> {
  const from = (first: number): number[] => Array.from({ length: count }, (_, i) => first + i);
  if (base === 0) return { ports: await anyPorts(count), taken: null };
  if (base !== null) {
    if (base + count - 1 > 65_535)
      throw new Refusal(`--port: expected ports up to 65535, found ${base} and ${count} members`);
    const taken = await firstTaken(from(base));
    if (taken !== null) throw new Refusal(`--port: port ${taken} is in use`);
    return { ports: from(base), taken };
  }
  const isAlone = hasPagePort || (await isPlayground());
  const taken = (await firstTaken(from(USUAL_BASE))) ?? (isAlone ? null : PAGE_PORT);
  if (taken === null) return { ports: from(USUAL_BASE), taken };
  return { ports: await anyPorts(count), taken };
}

/** All are held at the same time, so that no two are equal. */
async function anyPorts(count: number): Promise<readonly number[]> {
  const held = await Promise.all(Array.from({ length: count }, () => hold(0)));
  await Promise.all(held.map(({ release }) => release()));
  return held.map(({ port }) => port);
}

/** The playground has no members, so it does not matter if it uses the port of the page. */
async function isPlayground(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const response = await fetch(`http://${HOST}:${PAGE_PORT}/about.json`, { signal });
    return ((await response.json()) as { mode?: unknown } | null)?.mode === 'play';
  } catch {
    return false;
  }
}

async function firstTaken(ports: readonly number[]): Promise<number | null> {
  for (const port of ports) {
    try {
      const { release } = await hold(port);
      await release();
    } catch {
      return port;
    }
  }
  return null;
}

/** Takes a port until it is released; 0 is any free one. */
function hold(port: number): Promise<{ readonly port: number; release(): Promise<void> }> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, HOST, () => {
      const release = (): Promise<void> => new Promise((done) => server.close(() => done()));
      resolve({ port: (server.address() as { port: number }).port, release });
    });
  });
}
