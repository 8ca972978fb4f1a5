import { assert, assertNever, type Command, canonicalText, type MemberId } from '../../core/index.ts';
import type { Finding } from '../../properties/index.ts';
import { countOf, type Fault, isCounted, mostOf, oneMore } from './bounds.ts';
import type { Causes } from './causes.ts';
import { unborn } from './member.ts';
import type { Model, Transition, Visit } from './model.ts';
import type { Direction, Script } from './script.ts';

/** One event before the exploration began. */
export type Step = Pick<Transition, 'kind' | 'member' | 'cause' | 'outcome' | 'followed'>;

/** A state from which the exploration starts, its history, and what that already broke. */
export interface Root {
  readonly state: Int32Array;
  readonly steps: readonly Step[];
  readonly findings: readonly Finding[];
}

/** A conversation of this length will not end. */
const MOST_DELIVERIES = 10_000;

/**
 * Plays a script on the model. Bounds do not apply here: messages of every type arrive when the script says so. Draws
 * get the first possible answer.
 */
class Stage {
  readonly #model: Model;
  readonly #causes: Causes;
  #root: Root;
  /** The messages that have not arrived yet, in the order of sending. */
  #queue: number[] = [];

  constructor(model: Model, causes: Causes, root: Root) {
    this.#model = model;
    this.#causes = causes;
    this.#root = root;
    for (const step of root.steps) this.#enqueue(step);
  }

  play(script: Script): Root {
    for (const direction of script) this.#direct(direction);
    return this.#root;
  }

  #direct(direction: Direction): void {
    switch (direction.do) {
      case 'crash': {
        const i = this.#indexOf(direction.member);
        assert(this.#isAlive(i), `script: ${direction.member} does not run`);
        this.#checkCount('crashes');
        return this.#perform((visit) => this.#model.crash(this.#root.state, i, visit));
      }
      case 'restart': {
        const { member, amnesia = false } = direction;
        const i = this.#indexOf(member);
        assert(!this.#isAlive(i), `script: ${member} runs already`);
        if (amnesia) this.#checkCount('amnesia');
        const faults = amnesia ? oneMore(this.#faults, 'amnesia') : this.#faults;
        return this.#react(i, this.#causes.start(amnesia, this.#faults), faults);
      }
      case 'fire':
        return this.#fire(this.#indexOf(direction.member), direction.timer);
      case 'ask': {
        this.#checkCount('commands');
        const faults = oneMore(this.#faults, 'commands');
        const command = this.#translate(direction.command);
        const cause = this.#causes.command(countOf(faults, 'commands'), command);
        return this.#react(this.#indexOf(direction.member), cause, faults);
      }
      case 'talk':
        return this.#talk(direction.among, direction.types);
      case 'lose':
        return this.#lose(direction.from, direction.to);
      default:
        assertNever(direction);
    }
  }

  #fire(i: number, timer: string): void {
    const { outcomes } = this.#model;
    const cause = outcomes.causes.id({ type: 'timer', timer });
    const isSet = outcomes.facts(this.#root.state[i]!).timers.includes(cause);
    assert(isSet, `script: the timer ${timer} of ${this.#model.cluster.names[i]} does not run`);
    this.#react(i, cause, this.#faults);
  }

  #talk(among: readonly MemberId[], types: readonly string[] | undefined): void {
    const { outcomes } = this.#model;
    const ends = among.map((name) => this.#model.cluster.ids[this.#indexOf(name)]!);
    for (let count = 0; count < MOST_DELIVERIES; count++) {
      const at = this.#queue.findIndex((message) => {
        const { from, to } = outcomes.envelope(message);
        const isMeant = types === undefined || types.includes(outcomes.typeOf(message));
        return (
          isMeant && ends.includes(from) && ends.includes(to) && this.#isAlive(outcomes.receiver(message))
        );
      });
      if (at < 0) return;
      const [message] = this.#queue.splice(at, 1);
      this.#react(outcomes.receiver(message!), message!, this.#faults);
    }
    assert(false, `script: ${among.join(', ')} do not stop talking`);
  }

  #lose(from: MemberId | undefined, to: MemberId | undefined): void {
    const { outcomes, inFlight, net, cluster } = this.#model;
    const sender = from === undefined ? null : cluster.ids[this.#indexOf(from)]!;
    const receiver = to === undefined ? null : cluster.ids[this.#indexOf(to)]!;
    const isLost = (message: number): boolean => {
      const envelope = outcomes.envelope(message);
      return (sender ?? envelope.from) === envelope.from && (receiver ?? envelope.to) === envelope.to;
    };
    this.#queue = this.#queue.filter((message) => !isLost(message));
    for (const message of inFlight.lists.value(this.#root.state[net]!).filter(isLost)) {
      this.#perform((visit) => {
        const { state } = this.#root;
        this.#model.disturb(
          state,
          'drop',
          message,
          inFlight.without(state[net]!, message),
          this.#faults,
          visit,
        );
      });
    }
  }

  #react(i: number, cause: number, faults: number): void {
    const { inFlight, net, outcomes, bounds } = this.#model;
    const { state } = this.#root;
    const isMessage = outcomes.causes.value(cause).type === 'message';
    const leaves =
      isMessage && isCounted(bounds.network) && inFlight.lists.value(state[net]!).includes(cause);
    const left = leaves ? inFlight.without(state[net]!, cause) : state[net]!;
    this.#perform((visit) => this.#model.react(state, i, cause, left, faults, visit));
  }

  /** The first outcome in which the process does not die. */
  #perform(tell: (visit: Visit) => void): void {
    let next: Root | null = null;
    tell((transition: Transition) => {
      if (next !== null || transition.outcome?.dies) return;
      next = after(this.#root, transition);
      this.#enqueue(transition);
    });
    if (next !== null) this.#root = next;
  }

  /** The numbers of messages say nothing about their order, so the messages of one step are put in order here. */
  #enqueue({ outcome }: Step): void {
    if (outcome === null) return;
    const { outcomes, inFlight } = this.#model;
    const numbers = [...inFlight.lists.value(outcome.sends), ...outcome.atOnce, ...outcome.muted];
    const sent = numbers.map((message) => {
      const text = canonicalText(outcomes.envelope(message));
      return { message, receiver: outcomes.receiver(message), text };
    });
    sent.sort((a, b) => a.receiver - b.receiver || (a.text < b.text ? -1 : 1));
    this.#queue.push(...sent.map(({ message }) => message));
  }

  get #faults(): number {
    return this.#root.state[this.#model.faults]!;
  }

  #isAlive(i: number): boolean {
    return i >= 0 && this.#model.outcomes.facts(this.#root.state[i]!).alive;
  }

  #checkCount(fault: Fault): void {
    assert(countOf(this.#faults, fault) < mostOf(fault), `script: at most ${mostOf(fault)} ${fault}`);
  }

  #indexOf(name: MemberId): number {
    const index = this.#model.cluster.names.indexOf(name);
    assert(index >= 0, `script: there is no member ${name}`);
    return index;
  }

  /** The command with the ids that the protocol uses. */
  #translate(command: Command): Command {
    const { ids } = this.#model.cluster;
    if (command.type === 'transfer') return { ...command, to: ids[this.#indexOf(command.to)]! };
    if (command.type === 'add' || command.type === 'remove')
      return { ...command, member: ids[this.#indexOf(command.member)]! };
    return command;
  }
}

/** Adds one event. */
function after({ steps, findings }: Root, transition: Transition): Root {
  const { to, kind, member, cause, outcome, followed } = transition;
  return {
    state: Int32Array.from(to),
    steps: [...steps, { kind, member, cause, outcome, followed }],
    findings: [...findings, ...transition.findings],
  };
}

/** All members have started, with every combination of draws, and the script was played. */
export function rootsOf(model: Model, causes: Causes, script: Script): Root[] {
  const played = started(model, causes).map((root) => new Stage(model, causes, root).play(script));
  for (const { state } of played) model.begin(state);
  return played;
}

function started(model: Model, causes: Causes): Root[] {
  const { cluster, bounds, outcomes } = model;
  const state = new Int32Array(model.width);
  cluster.selves.forEach((self, i) => {
    state[i] = outcomes.locals.id(unborn(cluster, self, bounds.evidence > 0));
  });
  let roots: Root[] = [{ state, steps: [], findings: [] }];
  for (let i = 0; i < cluster.ids.length; i++) {
    roots = roots.flatMap((root) => {
      const next: Root[] = [];
      model.react(root.state, i, causes.start(false, 0), root.state[model.net]!, 0, (transition) => {
        if (!transition.outcome!.dies) next.push(after(root, transition));
      });
      return next;
    });
  }
  return roots;
}
