import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type Api,
  type CertificateStatus,
  closeServer,
  type ElectionPort,
  type MemberPort,
  type MembershipPort,
  type Refusal,
  type Registered,
  type SelfReport,
} from '../api/index.ts';
import { type ClusterRecovery, type Definition, type MemberId, parseId } from '../core/index.ts';
import { CaucusError, type Election, type Engine, type Seat } from '../election/index.ts';
import { notReserved } from '../leases/index.ts';
import { Acceptance } from './acceptance.ts';
import { type Clock, SystemClock } from './clock.ts';
import { ClusterMembership } from './cluster-membership.ts';
import type { Store } from './data-folder.ts';
import { watchDisk } from './disk-duty.ts';
import type { DiskWatch } from './disk-watch.ts';
import type { ElectionHost } from './election-host.ts';
import { Elections } from './elections.ts';
import { Finding } from './finding.ts';
import { isolate } from './isolate.ts';
import type { AnyJoinOptions } from './join-options.ts';
import { LeaseService } from './lease-service.ts';
import { openLinks } from './link-events.ts';
import type { LinkStatus, Links, Peer } from './links/links.ts';
import { memberApi } from './member-api.ts';
import { Occupants } from './occupants.ts';
import { type OpenElectionOptions, type OpenPartition, openElection, partitionOn } from './open-election.ts';
import type { Settled } from './options.ts';
import { OwnUrl } from './own-url.ts';
import { RefusalLog } from './refusal-log.ts';
import { Registrations } from './registrations.ts';
import { Rehearsals } from './rehearsal.ts';
import { SelfWatch } from './self-watch.ts';
import type { Occupant } from './steward.ts';
import { certificateStatus, TlsWatch } from './tls-watch.ts';
import { Unreachable } from './unreachable.ts';
import { Voters } from './voters.ts';

/** One member: its elections, its connections and its API. */
export class Member implements MemberPort, Engine {
  readonly id: MemberId;
  readonly cluster: string;
  readonly definition: Definition;
  readonly incarnation: number;
  readonly startedAtMs: number;
  readonly mainElection: string;
  /** @internal The leases of programs that are no members; null if this member keeps none. */
  readonly leases: LeaseService | null;
  readonly log: Settled['log'];
  readonly partition: OpenPartition = partitionOn(this);

  readonly #settled: Settled;
  readonly #store: Store;
  readonly #server: Server | null;
  readonly #own: OwnUrl;
  readonly #voters: Voters;
  readonly #registrations: Registrations;
  readonly #links: Links;
  readonly #unreachable = new Unreachable((message) => this.#settled.log({ level: 'warning', message }));
  readonly #hosts: Elections;
  /** Null where the members of a cluster cannot be changed by operators. */
  readonly #cluster: ClusterMembership | null;
  readonly #finding: Finding;
  readonly #acceptance = new Acceptance((why) => (this.#cluster ?? this.#hosts).exclude(why));
  readonly #api: Api;
  readonly #occupants: Occupants;
  readonly #listeners = new Set<() => void>();
  readonly #refusals: RefusalLog;
  readonly #tlsWatch: TlsWatch | null;
  readonly #watch = new SelfWatch();
  readonly #disk: DiskWatch | null;
  readonly #rehearsals: Rehearsals;
  #closing: Promise<void> | null = null;

  /** @internal Use `join`. */
  constructor(settled: Settled, store: Store, server: Server | null, clock: Clock = new SystemClock()) {
    this.#settled = settled;
    this.#store = store;
    this.#server = server;
    this.id = settled.id;
    this.#own = new OwnUrl(settled, server);
    this.cluster = settled.cluster;
    this.definition = settled.definition;
    this.incarnation = store.member.incarnation;
    this.startedAtMs = clock.wallNow();
    this.mainElection = settled.election;
    this.log = settled.log;
    this.#voters = new Voters(
      this.#own.of({ id: this.id }),
      settled.peers,
      settled.limits.voters,
      settled.tls !== null,
    );
    if (this.#hasRegister) for (const voter of store.member.voters) this.#voters.register(voter, () => true);
    this.#registrations = new Registrations({
      clock,
      settled,
      store,
      voters: this.#voters,
      links: () => this.#links,
      changed: () => this.#notify(),
    });
    this.#cluster = this.#createCluster();
    this.#hosts = new Elections(settled, {
      clock,
      recorded: (seats, isPaused, isSaved) => this.#cluster?.onRecord(seats, isPaused, isSaved),
      store: this.#watch.timed(store),
      send: this.#hasRegister
        ? (to, election, message, at) => this.#finding.send(to, election, message, at)
        : (to, election, message) => this.#links.send(to, election, message),
      flush: () => this.#links.flush(),
      understandsSupport: (voter) => this.#links.featuresOf(voter)?.includes('support') ?? null,
      call: (election, at, message, to) => this.#finding.call(election, at, message, to ?? null),
      ...(this.#hasRegister ? { addresses: () => this.#finding.addresses } : {}),
      isVoter: (id) => id === this.id || this.#voters.has(id),
      isUsed: (name) => this.#occupants.has(name),
      changed: (host) => this.#notify(host),
    });
    this.#occupants = new Occupants({
      self: this.id,
      priority: settled.priority,
      open: (name) => this.#hosts.open(name),
      idOf: (text) => this.#voters.find(text) ?? parseId(text),
    });
    this.leases = LeaseService.of(settled, this.#hosts, this.#voters, this, (name) => this.#seat(name));
    this.#disk = watchDisk(settled, {
      hosts: this.#hosts,
      store,
      elections: (name) => this.#occupants.of(name),
      changed: () => this.#notify(),
    });
    this.#refusals = new RefusalLog(clock, (message) => {
      this.#settled.log({ level: 'warning', message });
      this.#notify();
    });
    this.#tlsWatch = settled.tls === null ? null : new TlsWatch(settled.tls, settled.log);
    this.#links = openLinks(settled, this.#own, store, {
      hosts: this.#hosts,
      refusals: this.#refusals,
      acceptance: this.#acceptance,
      unreachable: this.#unreachable,
      others: () => this.#voters.others,
      changed: () => this.#notify(),
    });
    this.#finding = new Finding({
      settled,
      id: this.id,
      own: this.#own,
      voters: this.#voters,
      links: this.#links,
      isExcluded: () => this.#acceptance.isExcluded,
      // A voter that others named takes no place from one that has registered here.
      registerVoter: (voter) => this.registerVoter(voter, false),
      answered: (from, election, type, body) =>
        this.#refusals.hear(from, () => this.#hosts.receiveAnswer(from, election, type, body)),
      give: (input) => this.#hosts.give(input),
    });
    // Before anything is sent: messages to a peer that is not connected yet wait for it.
    this.#links.setPeers(this.#voters.others);
    try {
      this.#hosts.open(this.mainElection);
    } catch (error) {
      for (const each of [this.#links, this.#watch]) void each.close();
      throw error;
    }
    this.#api = memberApi(this, settled, this.#hosts.acts, this.#links);
    this.#cluster?.sayWaiting();
    if (server !== null) this.#links.attach(server);
    settled.secret.watch(settled.log);
    this.#finding.start();
    this.#rehearsals = new Rehearsals(settled);
  }

  get url(): string {
    return this.#own.url;
  }
  get voters(): readonly Peer[] {
    return this.#voters.list;
  }
  get links(): readonly LinkStatus[] {
    return this.#links.status;
  }
  get illness(): string | null {
    return this.#disk?.problem ?? this.#hosts.illness;
  }
  get recovery(): ClusterRecovery | undefined {
    return this.#store.member.recovery;
  }
  get elections(): readonly ElectionPort[] {
    return this.#hosts.shown;
  }
  /** The members of the cluster, and what changes them. Null where members are not changed by operators. */
  get membership(): MembershipPort | null {
    return this.#cluster;
  }
  get certificate(): CertificateStatus | null {
    return this.#settled.tls === null ? null : certificateStatus(this.#settled.tls, Date.now());
  }
  get refusals(): Readonly<Record<Refusal, number>> {
    return this.#refusals.counts;
  }

  /** @internal What `/diagnosis` tells of this process. */
  diagnose(): SelfReport {
    return this.#watch.report(this.#settled, this.#hosts, this.#store, this.#unreachable, this.#refusals);
  }

  /** One of the elections of this member, to observe or to lead. The same object for the same name, until it is closed. */
  election(name: string = this.mainElection, options?: OpenElectionOptions): Election {
    this.seat(name);
    return openElection(this.#occupants.of(name)[0], name, this, options);
  }

  /**
   * @internal Registers an election on this member, also one that the program created itself, so that its work is
   * stopped before a leadership ends.
   */
  opened(election: Occupant): void {
    this.#seat(election.name);
    this.#occupants.add(election);
  }

  /** The place of this member in an election, for programs that do not need `Election`. */
  seat(name: string = this.mainElection): Seat {
    return this.#seat(notReserved(name));
  }

  #seat(name: string): Seat {
    if (this.#closing !== null) throw new CaucusError('E_CLOSED', 'the member was closed');
    return this.#occupants.seat(name);
  }

  readonly electionPort = (name: string): ElectionPort => this.#hosts.openForRequest(name);

  /** Answers a request to the API of this member. Mount it on your own server, or let the member listen. */
  readonly handler = (request: IncomingMessage, response: ServerResponse): void =>
    this.#api(request, response);

  /** The same for the connections of other members. False if the request is not for this member. */
  readonly handleUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): boolean =>
    this.#settled.allow?.(request) === false
      ? this.#links.refuseUpgrade(request, socket)
      : this.#links.handleUpgrade(request, socket, head);

  /** Replaces the tokens of operators. Throws BadInput, and keeps the old ones, if these cannot be used. */
  setTokens(tokens: NonNullable<AnyJoinOptions['tokens']>): void {
    this.#settled.access.replace(tokens);
  }

  /**
   * Replaces the secrets of a member that was started with one; connections stay open. Throws BadInput, and keeps the
   * old ones, if these cannot be used.
   */
  setSecret(secret: NonNullable<AnyJoinOptions['secret']>): void {
    this.#settled.secret.replace(secret);
  }

  /** Reads the secret file again now. It is also read again within a second or two after each change. */
  readonly reloadSecret = (): void => this.#settled.secret.reload();

  /** Reads the files of `tls` again now. They are also read again within a second or two after each change. */
  readonly reloadTls = (): void => this.#tlsWatch?.reload();

  /** @internal A client at this address is no member, or does not use TLS. */
  readonly refusedTls = (address: string, message: string): void =>
    this.#refusals.refused('unauthenticated', address, message);

  /** `mayReplace`: it may take the place of one that does not answer any more. */
  registerVoter(voter: Peer, mayReplace = true): Registered {
    const registered = this.#registrations.register(voter, mayReplace);
    // Its address may be a new one of the seed.
    if (!registered.accepted) this.#finding.lookAgain();
    return registered;
  }

  readonly isConfigured = (id: MemberId): boolean => this.#voters.isConfigured(id);

  countRefusal(refusal: Refusal, told?: { readonly from: string; readonly reason: string }): void {
    if (told === undefined) this.#refusals.counts[refusal] += 1;
    else this.#refusals.refused(refusal, told.from, told.reason);
  }

  readonly heardByPost = (from: MemberId): void => this.#links.heardByPost(from);

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Leaves: the work of leaders is told to stop and waited for, leaderships are released, and only then the
   * connections close. Settles when nothing of this member is left.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.leases?.close();
    await this.#occupants.close();
    const own = [this.#cluster, this.#finding, this.#refusals, this.#settled.secret, this.#tlsWatch];
    for (const each of [...own, this.#watch, this.#disk, this.#rehearsals]) each?.close();
    if (this.#hasRegister) await this.#hosts.leave();
    await this.#hosts.close();
    await this.#links.close();
    this.#api.close();
    if (this.#server !== null) await closeServer(this.#server);
    this.#store.close();
    this.#notify();
  }

  #createCluster(): ClusterMembership | null {
    if (this.#hasRegister || !this.definition.commands.includes('add')) return null;
    return new ClusterMembership({
      settled: this.#settled,
      store: this.#store,
      voters: this.#voters,
      unreachable: this.#unreachable,
      url: () => this.url,
      links: () => this.#links,
      hosts: () => this.#hosts,
      isClosing: () => this.#closing !== null,
      changed: () => this.#notify(),
    });
  }

  /** Can voters register, or are they fixed? */
  get #hasRegister(): boolean {
    return this.definition.registration !== undefined;
  }

  #notify(host?: ElectionHost): void {
    if (host) this.#cluster?.look(host);
    this.leases?.onChange(host);
    // After a change in one of thousands of elections, the others are not looked at.
    this.#disk?.look(host && host.held !== null);
    for (const listener of [...this.#listeners]) isolate(listener);
  }
}
