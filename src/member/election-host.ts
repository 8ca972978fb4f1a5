import type { ElectionPort } from '../api/index.ts';
import type {
  Command,
  Definition,
  Input,
  Json,
  MemberId,
  Message,
  Outcome,
  Protocol,
  Retimed,
  Self,
  View,
  Why,
} from '../core/index.ts';
import { type Change, type Hold, NO_VIEW, ProtocolHost } from '../host/index.ts';
import { Audience } from './audience.ts';
import { Campaign } from './campaign.ts';
import { Door, type Way } from './door.ts';
import { ElectionPorts } from './election-ports.ts';
import { Heard } from './heard.ts';
import { Pending } from './pending.ts';
import { PostAnswers } from './post-answers.ts';
import { SeatWait } from './seat-wait.ts';
import { Standing } from './standing.ts';
import type { Steward } from './steward.ts';
import type { Surroundings } from './surroundings.ts';

/** The sender id of a question from a client that is no voter. Nothing is ever sent to it. */
const ANYBODY = 'anybody';

/** One election of a member: the host that runs its protocol, and what connects it to the rest of the member. */
export class ElectionHost implements ElectionPort {
  /** Handles commands that end a leadership under which a program works; undefined for all other commands. */
  steward: Steward | null = null;
  readonly name: string;
  readonly self: MemberId;
  readonly protocol: string;

  /** @internal What rests, if the election has nothing to do (src/support). */
  readonly host: ProtocolHost;
  readonly #around: Surroundings;
  readonly #protocol: Protocol;
  readonly #audience = new Audience(NO_VIEW);
  readonly #heard: Heard;
  /** Only for protocols with seats, which belong to disks. */
  readonly #seatWait: SeatWait | null;
  /** The others refuse this process, for this reason. */
  #exclusion: Why | null = null;
  /** @internal The parts that the ports of the host need (election-ports.ts). */
  readonly door: Door;
  /** @internal */
  readonly pending: Pending = new Pending();
  /** @internal */
  readonly standing: Standing = new Standing();
  /** @internal */
  readonly answers: PostAnswers = new PostAnswers();
  /** @internal */
  readonly campaigning: Campaign;

  constructor(name: string, self: Self, definition: Definition, protocol: Protocol, around: Surroundings) {
    this.name = name;
    this.self = self.id;
    this.protocol = definition.name;
    this.#around = around;
    this.#protocol = protocol;
    this.campaigning = new Campaign(this, around.pace, around.mayRest !== undefined);
    this.#heard = new Heard(around);
    this.#seatWait = protocol.inherit === undefined ? null : new SeatWait(self);
    this.host = new ProtocolHost(self, protocol, definition.commands, ElectionPorts.of(this, around));
    this.door = new Door(definition, protocol, this.host, around);
  }

  start(saved: Json, incarnation: number, life: string, spent = 0): void {
    this.host.start(saved, incarnation, life, spent);
  }

  /** After this, nothing happens. Callers that wait for a command are told that its outcome is unknown. */
  stop(): void {
    if (!this.host.isRunning) return;
    this.host.stop();
    this.pending.abandon('the member was closed');
    this.#audience.tell();
  }

  get commands(): readonly Command['type'][] {
    return this.host.commands;
  }

  retimed(): Retimed | null {
    return this.#protocol.retimed?.(this.host.state) ?? null;
  }

  /** What this member last reported. */
  get view(): View {
    return this.host.view;
  }

  /** The leadership that this member holds. It may already have expired by the clock. */
  get held(): Hold | null {
    return this.host.held;
  }

  /** Why the current leader leads, or why there is none. */
  get explanation(): Why {
    return this.host.explanation;
  }

  /** Does the view show the newest committed value? Only a leader can know. Null: the protocol never knows. */
  get isCurrent(): boolean | null {
    return this.host.isCurrent;
  }

  /** In a protocol without priorities every member is always a candidate. */
  get isCandidate(): boolean {
    return (this.standing.priority > 0 && this.standing.bar === null) || !this.commands.includes('priority');
  }

  get aside(): Why | null {
    return this.standing.aside;
  }

  /** Why this process leads nothing here, or null. */
  get barred(): Why | null {
    return this.standing.bar;
  }

  get acting(): boolean {
    return this.host.acting;
  }
  get token(): bigint | null {
    const { leader, term } = this.view;
    return leader === null || term === null ? null : BigInt(term);
  }
  get expiresInMs(): number | null {
    if (this.held === null || this.view.lease === null) return null;
    const leftMs = this.host.lease.endsAtMs - this.#around.clock.now();
    return leftMs > 0 ? leftMs : null;
  }

  get history(): readonly Change[] {
    return this.host.history;
  }
  get earlier(): readonly Change[] {
    return this.#around.earlier ?? [];
  }
  /** Why nothing may leave now (a health error of the disk), or null. */
  get illness(): string | null {
    return this.host.illness;
  }

  subscribe(listener: () => void): () => void {
    return this.#audience.add(listener);
  }

  /** A command from outside. If it would end a leadership, the work under that leadership is told to stop first. */
  command(command: Command): Promise<Outcome> {
    return this.steward?.(this, command) ?? this.order(command);
  }

  /** Why this command would be refused now, or null. Has no effect. */
  refusal(command: Command): string | null {
    return this.host.refusal(command);
  }

  /** Like `command`, but straight to the protocol. The history records `why`, if it is given. */
  order(command: Command, why?: Why): Promise<Outcome> {
    if (!this.host.isRunning)
      return Promise.resolve({ status: 'failed', reason: 'the member was closed', effect: 'definite' });
    if (command.type !== 'priority') return this.#give(command, why);
    this.standing.priority = command.priority;
    return this.#rank(this.standing.isAllowed ? this.standing.wanted : 0, why);
  }

  /** Campaigns as soon as this process has time for it, if there is no leader then. */
  campaign(): void {
    this.campaigning.start();
  }

  get isLent(): boolean {
    return this.standing.isLent;
  }

  async lend(isLent: boolean): Promise<void> {
    this.standing.isLent = isLent;
    if (this.standing.isAllowed && this.host.isRunning && this.#hasPriority) await this.#stand();
  }

  /** It may have held back after a resignation; if there is no leader, it need not. */
  async #stand(): Promise<void> {
    await this.#rank(this.standing.wanted);
    if (this.standing.wanted > 0 && this.view.leader === null) await this.order({ type: 'campaign' });
  }

  /**
   * With a reason, this process does not lead here until it is called with null: it hands over what it leads, after its
   * work was stopped, and is no candidate. Settles once it leads nothing. Without effect where members have no priority.
   */
  async bar(why: Why | null): Promise<void> {
    const before = this.standing.bar;
    this.standing.bar = why;
    if (!this.#hasPriority || !this.host.isRunning) return;
    if (why !== null && before === null) {
      const stopped = this.steward?.(this, { type: 'priority', priority: 0 }, why);
      if (stopped !== undefined) await stopped;
      if (this.standing.bar !== null) await this.#rank(0, why);
    } else if (why === null && before !== null && this.standing.isAllowed) {
      await this.#stand();
    }
    if ((before === null) !== (why === null)) this.#audience.tell();
  }

  /** Sets the priority in the protocol, without noting it as what the program wants. */
  #rank(priority: number, why?: Why): Promise<Outcome> {
    return this.#give({ type: 'priority', priority }, why);
  }

  /** The same for the work of a leader that is barred. */
  yield(why: Why): Promise<Outcome> {
    return this.#rank(0, why);
  }

  #give(command: Command, why?: Why): Promise<Outcome> {
    return this.pending.ask((id) => this.host.command(id, command, why));
  }

  /**
   * The disk does not take writes: from now on this member saves nothing, which would block it, and does not stand. A
   * leadership ends with `giveUp`, once the work under it has stopped. Null: the disk takes writes again.
   */
  setAside(why: Why | null): void {
    if (this.standing.aside === why) return;
    this.standing.aside = why;
    if (why !== null && this.held !== null) return;
    if (!this.#hasPriority) this.#applyExclusion();
    else if (why !== null) void this.#rank(0, why);
    else if (this.standing.isAllowed) void this.#stand();
  }

  /** Gives up the leadership because of the disk. */
  async giveUp(): Promise<Outcome> {
    const why = this.aside;
    if (why === null) return { status: 'done' };
    if (this.#hasPriority) return this.#rank(0, why);
    const resigned = this.commands.includes('resign') ? this.#give({ type: 'resign' }, why) : null;
    this.#applyExclusion();
    return (await resigned) ?? { status: 'done' };
  }

  get #hasPriority(): boolean {
    return this.commands.includes('priority');
  }

  /**
   * Messages sent back at once to a member that used POST become the response to its request. Other members get them
   * over their link.
   */
  receive(from: MemberId, said: Message, way: Way = 'post'): readonly Message[] {
    if (!this.host.isRunning) return [];
    const message = this.door.admit(from, said, way);
    if (way === 'post') return this.#answersTo(from, message);
    this.give({ type: 'message', from, message });
    return [];
  }

  ask(type: string): readonly Message[] {
    return this.#answersTo(ANYBODY, { type });
  }

  /** A process that the others refuse answers nothing: they would take it for a voter. */
  #answersTo(from: MemberId, message: Message): readonly Message[] {
    if (this.#exclusion !== null) return [];
    return this.answers.during(from, () => {
      this.give({ type: 'message', from, message });
      // The response does not wait, so what it depends on is made durable now.
      if (!this.host.isQuiet) this.#around.settle?.();
    });
  }

  /** Queues an input from outside. Timers that are due run before it. */
  give(input: Input): void {
    if (input.type === 'message' && this.host.isRunning) {
      this.#seatWait?.onHeard(input.from);
      if (input.from !== ANYBODY) this.#heard.note(input.from, this.#around.clock.wallNow());
    }
    if (input.type === 'peer-gone') this.#seatWait?.onGone(input.peer);
    this.host.give(input);
  }

  note(why: Why): void {
    this.host.note(why);
    this.#audience.tell();
  }

  /** When a message of this voter was last received, in milliseconds since 1970; null if none was. */
  heardAtMs(voter: MemberId): number | null {
    return this.#around.restHeardAtMs?.(voter) ?? this.#heard.atMs(voter);
  }

  /** The others refuse this process, so it must not lead, whatever its protocol says. Null: they accept it. */
  exclude(why: Why | null): void {
    this.#exclusion = why;
    this.#applyExclusion();
  }

  /** A protocol without priorities cannot be told not to lead. */
  #applyExclusion(): void {
    this.host.exclude(this.#exclusion ?? (this.#hasPriority ? null : this.standing.aside));
    this.#audience.tell();
  }

  /** @internal For the ports. */
  onChange(): void {
    this.campaigning.look();
    this.#audience.show(this.view, this.held, this.illness);
    // A member that needs others before it takes part says which ones.
    const news = this.#exclusion === null && this.#seatWait?.news(this.view, this.#around.clock);
    if (typeof news !== 'string') return;
    this.host.note({ cause: 'started', detail: news });
    this.#audience.tell();
  }
}
