/** The machine of member 1 with a peer 2, its decisions in words. */
import { assertNever } from '../../src/core/index.ts';
import {
  DEFAULT_PEER_OPTIONS,
  type Identity,
  type PeerEvent,
  type PeerOptions,
  type Peers,
} from '../../src/peers/index.ts';

export const PROCESS = { bootId: 'boot', pidNamespace: 'ns', pid: 1, startTime: '1' };

/** A process of a member, of the host that all of these run on. */
export function processOf(id: number, life: string, more: Partial<Identity> = {}): Identity {
  const pid = 100 * id + life.length;
  return {
    id,
    cluster: 'c',
    incarnation: 1,
    life,
    url: `http://host:${id}`,
    process: { ...PROCESS, pid, startTime: life },
    localSocket: `caucus-${id}-${life}`,
    ...more,
  };
}

export class Bench {
  readonly peers: Peers;
  nowMs = 0;

  constructor(
    Machine: typeof Peers,
    options: Partial<PeerOptions> = {},
    own: Identity = processOf(1, 'own'),
  ) {
    this.peers = new Machine(own, { ...DEFAULT_PEER_OPTIONS, ...options });
    this.take({ type: 'peer-added', peer: 2 });
  }

  /** What is decided, without timers and pings, in words. */
  take(...events: readonly PeerEvent[]): string[] {
    return events
      .flatMap((event) => this.peers.take(event, this.nowMs))
      .filter(({ type }) => !['set-timer', 'cancel-timer', 'ping'].includes(type))
      .map((decision) => {
        switch (decision.type) {
          case 'use':
            return `use ${decision.connection}`;
          case 'gone':
            return `${decision.life} is gone${decision.proof ? ', certainly' : ''}${decision.witness === undefined ? '' : `, by ${decision.witness}`}`;
          case 'refuse':
          case 'warn':
            return `${decision.type} ${decision.connection}: ${decision.refused.kind}`;
          case 'tell':
            return `tell ${decision.refused.kind}`;
          case 'up':
          case 'down':
          case 'local':
            return `${decision.peer.life} is ${decision.type}`;
          case 'shared':
            return `${decision.before.life} and ${decision.now.life} share an id`;
          case 'look':
            return `look ${decision.look} at ${decision.process.pid}`;
          case 'attest':
            return `attest ${decision.connection}: ${decision.report.life}`;
          case 'disbelieve':
            return `disbelieve ${decision.witness}: ${decision.why}`;
          case 'unreachable':
            return `unreachable: ${decision.reason}`;
          case 'accept':
          case 'greet':
          case 'close':
          case 'terminate':
          case 'ping':
          case 'probe':
          case 'meet':
            return `${decision.type} ${decision.connection}`;
          case 'use-rest':
          case 'dial':
          case 'abort-dial':
          case 'set-timer':
          case 'cancel-timer':
          case 'back':
          case 'adopt':
            return decision.type;
          default:
            return assertNever(decision);
        }
      });
  }

  /** The other side opens a connection and greets. */
  greet(connection: number, identity: Identity): string[] {
    return this.take({ type: 'accepted', connection }, { type: 'greeted', connection, identity });
  }

  probed(connection: number, poll: number, answered: boolean): string[] {
    return this.take({ type: 'probed', connection, poll, answered });
  }

  closed(connection: number, closing: Extract<PeerEvent, { type: 'closed' }>['closing']): string[] {
    return this.take({ type: 'closed', connection, closing, reason: closing });
  }
}
