/**
 * `caucus witness`: watches the processes of members on its host, and reports their deaths to all members.
 *
 * It is no member: it has no vote, keeps no connection as a peer and is asked for nothing. It sends `POST /witness` to each member, with the
 * proof or the certificate that a voter by REST has, which cannot be replayed. Every second it registers anew: members
 * that run on its host answer with their life and their local socket, and all answer with the members that there are.
 */
import { type NeighbourDocument, type Peer, witnessAnswer } from '../../api/index.ts';
import type { MemberTls, Secrets } from '../../auth/index.ts';
import { BadInput, type MemberId } from '../../core/index.ts';
import type { DeathReport, HostIdentity } from '../../peers/index.ts';
import type { LogEntry } from '../join-options.ts';
import { resolveLinkOptions } from '../links/options.ts';
import { Poster } from '../links/post.ts';
import { inWords } from '../unreachable.ts';
import { WatchedProcess } from './watched-process.ts';

const REGISTER_EVERY_MS = 1000;
/** A report that was not delivered is sent again for as long as a promise to the dead process may last. */
const REPORT_FOR_MS = 60_000;
const REPORT_AGAIN_MS = 100;
/** The others wait for a report, and a registration that hangs must not keep it waiting. */
const REQUESTS_AT_ONCE = 4;

export interface WitnessOptions {
  readonly id: MemberId;
  readonly cluster: string;
  /** Members that tell who the others are. */
  readonly members: readonly Peer[];
  readonly secrets: Secrets | null;
  readonly tls: MemberTls | null;
  /** Where this process runs (`ownProcess`). */
  readonly host: HostIdentity;
  log(entry: LogEntry): void;
}

export class Witness {
  readonly #options: WitnessOptions;
  readonly #host: HostIdentity;
  readonly #poster: Poster;
  /** By id: where each member is reached. */
  readonly #members = new Map<MemberId, string>();
  /** By life. */
  readonly #watched = new Map<string, WatchedProcess>();
  /** Members that have not answered the last registration. */
  readonly #registering = new Set<MemberId>();
  /** By member: what was last logged of it. */
  readonly #told = new Map<MemberId, string>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #isClosed = false;

  constructor(options: WitnessOptions) {
    this.#options = options;
    const { bootId, pidNamespace } = options.host;
    this.#host = { bootId, pidNamespace };
    const { id, cluster, secrets, tls } = options;
    const links = resolveLinkOptions({ mainElection: 'main', secrets, tls, postsInFlight: REQUESTS_AT_ONCE });
    this.#poster = new Poster({ id, cluster, url: '' }, links);
    for (const member of options.members) this.#members.set(member.id, member.url);
    this.#register();
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const watched of [...this.#watched.values()]) watched.close();
    this.#poster.close();
  }

  #register(): void {
    for (const [id, url] of this.#members) {
      // Two requests that do not know the process of the member yet would spoil each other's proof.
      if (this.#registering.has(id)) continue;
      this.#registering.add(id);
      this.#ask({ id, url }, {}, (answer, reason) => {
        this.#registering.delete(id);
        if (answer === null) return this.#tell(id, 'warning', `${id} takes no reports: ${inWords(reason)}`);
        for (const member of answer.members) this.#members.set(member.id, member.url);
        if (answer.neighbour === null) this.#tell(id, 'info', `${id} takes reports; it runs on another host`);
        else if (!this.#watched.has(answer.neighbour.life)) this.#watch({ id, url }, answer.neighbour);
      });
    }
    this.#after(REGISTER_EVERY_MS, () => this.#register());
  }

  #watch(member: Peer, neighbour: NeighbourDocument): void {
    const { id } = member;
    const { life, process } = neighbour;
    let hasEnded = false;
    const watched = new WatchedProcess(id, neighbour, {
      confirm: (token, done) => this.#ask(member, { token }, (answer) => done(answer?.isMet === true)),
      met: () => this.#tell(id, 'info', `watches ${id} (pid ${process.pid})`),
      died: () => this.#report({ id, life, process }),
      ended: () => {
        hasEnded = true;
        this.#watched.delete(life);
      },
    });
    if (!hasEnded) this.#watched.set(life, watched);
  }

  #report(report: DeathReport): void {
    const { id, process } = report;
    const untilMs = performance.now() + REPORT_FOR_MS;
    for (const [to, url] of this.#members) if (to !== id) this.#send({ id: to, url }, report, untilMs);
    this.#tell(id, 'warning', `the process of ${id} (pid ${process.pid}) is gone`);
  }

  #send(to: Peer, report: DeathReport, untilMs: number): void {
    this.#ask(to, { gone: [report] }, (answer, reason) => {
      if (answer !== null) return this.#tell(to.id, 'info', `${to.id} was told that ${report.id} is gone`);
      this.#tell(
        to.id,
        'warning',
        `${to.id} could not be told that ${report.id} is gone: ${inWords(reason)}`,
      );
      if (performance.now() < untilMs) this.#after(REPORT_AGAIN_MS, () => this.#send(to, report, untilMs));
    });
  }

  #ask(
    { id, url }: Peer,
    fields: { readonly token?: string; readonly gone?: readonly DeathReport[] },
    done: (answer: Answer | null, reason: string) => void,
  ): void {
    const message = { type: 'witness', voterUrl: undefined, host: this.#host, ...fields };
    this.#poster.post(url, id, { election: 'main', message }, (result) => {
      if (this.#isClosed) return;
      if (result.type === 'failed') return done(null, result.reason);
      const answer = readAnswer({ ...result.answer, voterId: result.voterId });
      if (answer === null) done(null, 'its answer is not understood');
      else done(answer, '');
    });
  }

  /** Once, until something else is to be said of the member. */
  #tell(about: MemberId, level: LogEntry['level'], message: string): void {
    if (this.#told.get(about) === message) return;
    this.#told.set(about, message);
    this.#options.log({ level, message });
  }

  #after(delayMs: number, run: () => void): void {
    if (this.#isClosed) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, delayMs);
    this.#timers.add(timer);
  }
}

type Answer = ReturnType<typeof witnessAnswer.read>;

function readAnswer(body: object): Answer | null {
  try {
    return witnessAnswer.read(body, '');
  } catch (error) {
    if (error instanceof BadInput) return null;
    throw error;
  }
}
