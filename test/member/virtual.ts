/** Hosts of real members on a clock that a test moves by hand, and a network between them that can be cut. */
import {
  idSet,
  type Json,
  type MemberId,
  type Message,
  type Protocol,
  readSettings,
} from '../../src/core/index.ts';
import type { Clock } from '../../src/member/clock.ts';
import { ElectionHost } from '../../src/member/election-host.ts';
import { SenderBudgets } from '../../src/member/sender-budgets.ts';
import { catalogue } from '../../src/protocols/index.ts';

export class VirtualClock implements Clock {
  sleeps = 0;
  sleptMs = 0;
  #nowMs = 1000;
  #alarms: { readonly atMs: number; readonly run: () => void }[] = [];

  now(): number {
    return this.#nowMs;
  }

  wallNow(): number {
    return 1_800_000_000_000 + this.#nowMs;
  }

  after(delayMs: number): number {
    return this.#nowMs + Math.max(0.01, delayMs);
  }

  set(atMs: number, run: () => void): () => void {
    const alarm = { atMs, run };
    this.#alarms.push(alarm);
    this.#alarms.sort((a, b) => a.atMs - b.atMs);
    return () => {
      this.#alarms = this.#alarms.filter((each) => each !== alarm);
    };
  }

  /** Everything happens at its time. */
  advance(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (let next = this.#alarms[0]; next !== undefined && next.atMs <= untilMs; next = this.#alarms[0]) {
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      this.#alarms.shift();
      next.run();
    }
    this.#nowMs = untilMs;
  }

  /** Time passes and nothing happens, as when the event loop is blocked. What is due comes with the next `advance`. */
  stall(ms: number): void {
    this.#nowMs += ms;
  }

  /** The machine is suspended: the monotonic clock stands still, and only the other one tells. */
  sleep(ms: number): void {
    this.sleeps += 1;
    this.sleptMs = ms;
  }
}

interface VirtualMember {
  readonly host: ElectionHost;
  /** Names its process. */
  readonly life: string;
  saved: Json;
  /** What its disk says instead of saving. */
  diskError: Error | null;
  onSave: (record: Json) => void;
}

interface Wishes {
  readonly protocol?: string;
  readonly timing?: object;
  readonly options?: object;
  /** None: it stands from the start. */
  readonly priority?: number;
  /** True: their disks are empty. Otherwise they begin with those of a cluster that was founded. */
  readonly isEmpty?: boolean;
  /** Another protocol than the one of the definition, for what no real one does. */
  readonly create?: () => Protocol;
}

/** A cluster whose messages take a millisecond. */
export class VirtualCluster {
  readonly clock: VirtualClock = new VirtualClock();
  readonly ids: readonly MemberId[];
  readonly sent: { readonly from: MemberId; readonly to: MemberId; readonly message: Message }[] = [];
  onSend: (message: Message) => void = () => {};
  /** Which messages are lost, beside those of members that are cut off. */
  lose: (from: MemberId, to: MemberId, message: Message) => boolean = () => false;
  readonly #members = new Map<MemberId, VirtualMember>();
  readonly #cut = new Set<MemberId>();
  #starts = 0;
  readonly #wishes: Wishes;

  constructor(ids: readonly MemberId[], wishes: Wishes = {}) {
    this.ids = ids;
    this.#wishes = wishes;
    for (const id of ids) this.start(id, null);
  }

  start(id: MemberId, saved: Json): ElectionHost {
    const { protocol = 'quorum', priority = 1, isEmpty = false, timing, create } = this.#wishes;
    const { options = protocol === 'quorum' ? { preset: 'lan' } : {} } = this.#wishes;
    const definition = catalogue[protocol]!;
    const config = {
      timing: readSettings(definition.timing, timing, 'timing'),
      options: readSettings(definition.options, options, 'options'),
    };
    const settings = definition.memberSettings === undefined ? {} : { priority };
    const self = { id, members: idSet(this.ids), settings };
    const made = create?.() ?? definition.create(config);
    const member: VirtualMember = {
      host: new ElectionHost('main', self, definition, made, {
        clock: this.clock,
        send: (to, message) => this.#send(id, to, message),
        save: (record) => {
          if (member.diskError !== null) return member.diskError.message;
          member.saved = record;
          member.onSave(record);
          return null;
        },
        isVoter: () => true,
        budgets: new SenderBudgets(this.clock, () => 1),
        stepped: () => {},
      }),
      life: `${id}/${++this.#starts}`,
      saved,
      diskError: null,
      onSave: () => {},
    };
    this.#members.set(id, member);
    const genesis = isEmpty ? null : (made.genesis?.(self) ?? null);
    member.host.start(saved ?? genesis, this.#starts, member.life);
    return member.host;
  }

  at(id: MemberId): VirtualMember {
    return this.#members.get(id)!;
  }

  get hosts(): readonly ElectionHost[] {
    return [...this.#members.values()].map(({ host }) => host);
  }

  /** Those that may act now. */
  get acting(): readonly MemberId[] {
    return this.ids.filter((id) => this.at(id).host.acting);
  }

  /** Its messages are lost, both ways. */
  cut(...ids: MemberId[]): void {
    for (const id of ids) this.#cut.add(id);
  }

  heal(): void {
    this.#cut.clear();
  }

  /** Lets time pass until it is so; false if it was not for a minute. */
  until(condition: () => boolean): boolean {
    for (let ms = 0; ms < 60_000; ms += 1) {
      if (condition()) return true;
      this.clock.advance(1);
    }
    return false;
  }

  /** Lets time pass until one of them leads and all that can know it do. */
  elect(): MemberId {
    const agreed = (): boolean => {
      const [leader] = this.acting;
      const others = this.ids.filter((id) => !this.#cut.has(id));
      return (
        leader !== undefined &&
        others.every((id) => this.at(id).host.view.leader === leader || this.at(id).host.view.role === 'none')
      );
    };
    if (!this.until(agreed)) throw new Error('nobody was elected within a minute');
    return this.acting[0]!;
  }

  #send(from: MemberId, to: MemberId, message: Message): void {
    this.sent.push({ from, to, message });
    this.onSend(message);
    if (this.#cut.has(from) || this.#cut.has(to) || this.lose(from, to, message)) return;
    this.clock.set(this.clock.now() + 1, () => {
      this.#members.get(to)?.host.give({ type: 'message', from, message: structuredClone(message) });
    });
  }
}
