import type {
  Command,
  Input,
  Json,
  MemberId,
  Message,
  Protocol,
  Random,
  Self,
  View,
} from '../../core/index.ts';
import { ProtocolHost } from '../../host/index.ts';
import { Support, type SupportAnswer, type SupportRequest } from '../../support/index.ts';
import type { ProcessClock } from '../process-clock.ts';

/** What travels: a message of an election, or one about support. */
export type Carried =
  | { readonly election: string; readonly message: Message }
  | { readonly election: null; readonly message: SupportRequest | SupportAnswer };

export interface ProcessPorts {
  readonly clock: ProcessClock;
  readonly random: Random;
  send(to: MemberId, carried: Carried): void;
  save(election: string, record: Json, done: (failure: string | null) => void): void;
  reported(election: string, view: View): void;
}

/** One process of a member: its elections, and the support between it and the others. */
export class ManyProcess {
  readonly life: string;
  readonly hosts: Map<string, ProtocolHost> = new Map();
  readonly support: Support;
  readonly clock: ProcessClock;
  isPaused = false;
  /** The machine sleeps: its clock stands still. */
  isAsleep = false;
  /** What arrived or came due while it was paused. */
  readonly missed: (() => void)[] = [];
  #commands = 0;

  constructor(
    self: Self,
    incarnation: number,
    protocol: Protocol,
    commands: readonly Command['type'][],
    records: ReadonlyMap<string, Json>,
    hasSupport: boolean,
    ports: ProcessPorts,
  ) {
    this.life = `${self.id}/${incarnation}`;
    this.clock = ports.clock;
    this.support = new Support({
      self: self.id,
      life: this.life,
      clock: ports.clock,
      send: (to, message) => ports.send(to, { election: null, message }),
      understands: () => true,
      find: (name) => this.hosts.get(name)?.resting ?? null,
    });
    for (const [election, record] of records) {
      const host: ProtocolHost = new ProtocolHost(self, protocol, commands, {
        clock: ports.clock,
        fraction: () => ports.random.fraction(),
        draw64: () => '0',
        send: (to, message) => ports.send(to, { election, message }),
        save: (saved, done) => ports.save(election, saved, done),
        stepped: () => {},
        reported: (view) => ports.reported(election, view),
        answered: () => {},
        ...(hasSupport ? { mayRest: (offer) => this.support.rest(election, host.resting, offer) } : {}),
        changed: () => {},
      });
      this.hosts.set(election, host);
      host.start(record, incarnation, this.life);
    }
  }

  receive(from: MemberId, { election, message }: Carried): void {
    if (election === null) this.support.receive(from, message);
    else this.hosts.get(election)!.give({ type: 'message', from, message });
  }

  /** As a member does: what is about another than the leader leaves an election at rest (member/election-host.ts). */
  give(input: Extract<Input, { type: 'peer-gone' | 'peer-back' }>): void {
    for (const host of this.hosts.values())
      if (!host.resting.isOn || host.view.leader === input.peer) host.give(input);
  }

  command(election: string, command: Command): void {
    this.hosts.get(election)!.command(++this.#commands, command);
  }

  stop(): void {
    this.support.close();
    for (const host of this.hosts.values()) host.stop();
  }
}

export interface Member {
  readonly id: MemberId;
  readonly records: Map<string, Json>;
  /** Which save each record is of. */
  readonly saved: Map<string, number>;
  incarnation: number;
  running: ManyProcess | null;
}
