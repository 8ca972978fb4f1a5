import { asObject, BadInput, choice, number, optional, record, type Shape } from '../core/index.ts';
import { DEFAULT_PEER_OPTIONS, type PeerOptions } from '../peers/index.ts';

/**
 * Where the processes of a simulated cluster run, and so what proves a death:
 *
 * - `one-host`: on one kernel, which shows each process whether another is gone.
 * - `clones`: each member on its own host, all of them clones of one virtual machine. Their identities look like
 *   those of one host; nothing proves a death.
 * - `apart`: each member on its own host. Nothing proves a death.
 * - `trusted`: the same, with `trustConnections`: a connection that ends without a goodbye proves a death.
 * - `witnessed`: two members on each host, with `trustWitnesses`: each tells the members of other hosts what its kernel shows
 *   of the other one.
 */
const BETWEEN = ['one-host', 'clones', 'apart', 'trusted', 'witnessed'] as const;

/** How the simulated members are connected. */
export interface ConnectionSetup {
  readonly between: (typeof BETWEEN)[number];
  /** How often each connection is pinged. All other times of connections are in proportion to it. */
  readonly pingMs: number;
}

const USUAL_PING_MS = 100;

const fields = record<{ between: ConnectionSetup['between']; pingMs?: number }>({
  between: choice(...BETWEEN),
  pingMs: optional(number(1, 1e6)),
});

/** `"one-host"`, or `{"between": "one-host", "pingMs": 50}`. */
export const connectionSetup: Shape<ConnectionSetup> = {
  expected: `one of ${BETWEEN.join(', ')}, or an object that says between and pingMs`,
  read(value, path) {
    if (typeof value === 'string')
      return { between: choice(...BETWEEN).read(value, path), pingMs: USUAL_PING_MS };
    if (typeof value !== 'object') throw new BadInput(path, this.expected, String(value));
    const { between, pingMs } = fields.read(asObject(value, path), path);
    return { between, pingMs: pingMs ?? USUAL_PING_MS };
  },
};

/** In the proportions of a real member, except that a silent connection is closed sooner: simulated time is short. */
export function peerOptionsOf({ between, pingMs }: ConnectionSetup): PeerOptions {
  return {
    ...DEFAULT_PEER_OPTIONS,
    missedPings: 3,
    pingMs,
    backOffMs: [0.05 * pingMs, pingMs],
    refusedBackOffMs: 2 * pingMs,
    redialMs: 0.05 * pingMs,
    yieldMs: 0.05 * pingMs,
    helloMs: 5 * pingMs,
    probeMs: pingMs,
    trustConnections: between === 'trusted',
    trustWitnesses: between === 'witnessed',
  };
}

/** How long a failing attempt to connect takes. */
export function connectMsOf({ pingMs }: ConnectionSetup): number {
  return 2 * pingMs;
}
