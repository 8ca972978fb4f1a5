import { assertNever, type Command, type MemberId } from '../../core/index.ts';
import { countOf, isCounted, oneMore, withFalseProof } from './bounds.ts';
import type { Causes } from './causes.ts';
import type { Model, Visit } from './model.ts';
import { type Facts, isIdle } from './outcomes.ts';

/** Everything that can happen in a state, always in the same order, so that an index identifies it. */
export class Choices {
  readonly #model: Model;
  readonly #causes: Causes;
  readonly #n: number;
  readonly #any: boolean;

  constructor(model: Model, causes: Causes) {
    this.#model = model;
    this.#causes = causes;
    this.#n = model.cluster.ids.length;
    this.#any = !isCounted(model.bounds.network);
  }

  expand(state: Int32Array, visit: Visit): void {
    this.#model.prepare(state);
    for (let i = 0; i < this.#n; i++) this.#expandOwn(state, i, visit);
    if (this.#any) this.#expandAnyNetwork(state, null, visit);
    else this.#expandCountedNetwork(state, visit);
  }

  /** What can happen to one member, in a network that delivers any number of times. */
  expandMember(state: Int32Array, i: number, visit: Visit): void {
    this.#model.prepare(state);
    this.#expandOwn(state, i, visit);
    this.#expandAnyNetwork(state, i, visit);
  }

  #expandOwn(state: Int32Array, i: number, visit: Visit): void {
    const facts = this.#model.outcomes.facts(state[i]!);
    if (facts.alive) this.#expandAlive(state, i, facts, visit);
    else this.#expandDown(state, i, facts.saved, visit);
  }

  #expandAlive(state: Int32Array, i: number, { firing, free, members }: Facts, visit: Visit): void {
    const model = this.#model;
    const net = state[model.net]!;
    const faults = state[model.faults]!;
    if (model.mayStill(faults, 'timers')) {
      const fired = model.bounds.timers === null ? faults : oneMore(faults, 'timers');
      for (const timer of firing) model.react(state, i, timer, net, fired, visit);
    }
    for (const timer of free) model.react(state, i, timer, net, faults, visit);
    if (model.mayStill(faults, 'crashes')) model.crash(state, i, visit);
    if (model.mayStill(faults, 'evidence')) this.#expandEvidence(state, i, visit);
    if (model.mayStill(faults, 'commands')) this.#expandCommands(state, i, members, visit);
  }

  #expandDown(state: Int32Array, i: number, saved: boolean, visit: Visit): void {
    const model = this.#model;
    const net = state[model.net]!;
    const faults = state[model.faults]!;
    model.react(state, i, this.#causes.start(false, faults), net, faults, visit);
    if (!saved || !model.mayStill(faults, 'amnesia')) return;
    model.react(state, i, this.#causes.start(true, faults), net, oneMore(faults, 'amnesia'), visit);
  }

  /**
   * Every message that was sent, to one member or to all, may arrive, and stays in flight. Losing a message means
   * never delivering it.
   */
  #expandAnyNetwork(state: Int32Array, only: number | null, visit: Visit): void {
    const model = this.#model;
    const net = state[model.net]!;
    const faults = state[model.faults]!;
    for (const message of model.inFlight.lists.value(net)) {
      const i = model.outcomes.receiver(message);
      if (i < 0 || (only !== null && i !== only)) continue;
      const { alive, quiet } = model.outcomes.facts(state[i]!);
      if (!alive || quiet[message] === 1) continue;
      model.react(state, i, message, net, faults, visit);
    }
  }

  #expandCountedNetwork(state: Int32Array, visit: Visit): void {
    const { inFlight } = this.#model;
    let previous = -1;
    for (const message of inFlight.lists.value(state[this.#model.net]!)) {
      // Equal messages are interchangeable.
      if (message !== previous) this.#expandMessage(state, message, visit);
      previous = message;
    }
  }

  #expandMessage(state: Int32Array, message: number, visit: Visit): void {
    const model = this.#model;
    const net = state[model.net]!;
    const faults = state[model.faults]!;
    const i = model.outcomes.receiver(message);
    const rest = model.inFlight.without(net, message);
    if (i >= 0 && model.outcomes.facts(state[i]!).alive) {
      model.react(state, i, message, rest, faults, visit);
      if (model.mayStill(faults, 'drops'))
        model.disturb(state, 'drop', message, rest, oneMore(faults, 'drops'), visit);
    } else {
      // A message to a member that is down is lost, which is no fault of the network.
      model.disturb(state, 'drop', message, rest, faults, visit);
    }
    if (!model.mayStill(faults, 'duplicates')) return;
    const doubled = model.inFlight.with(net, model.inFlight.id([message]));
    model.disturb(state, 'duplicate', message, doubled, oneMore(faults, 'duplicates'), visit);
  }

  /**
   * A member gets evidence about a peer: that it is gone, or that it is back. Proof is about one process and is true
   * once that process has ended, also if a later one of the same peer runs.
   */
  #expandEvidence(state: Int32Array, i: number, visit: Visit): void {
    const model = this.#model;
    const net = state[model.net]!;
    const faults = oneMore(state[model.faults]!, 'evidence');
    for (let j = 0; j < this.#n; j++) {
      if (j === i) continue;
      const peer = model.cluster.ids[j]!;
      const { alive, lives } = model.outcomes.facts(state[j]!);
      model.react(state, i, this.#causes.gone(peer, false, null), net, faults, visit);
      lives.forEach((life, k) => {
        const isTrue = !alive || k < lives.length - 1;
        if (!isTrue && !model.bounds.falseProof) return;
        const counted = isTrue ? faults : withFalseProof(faults);
        model.react(state, i, this.#causes.gone(peer, true, life), net, counted, visit);
      });
      if (alive) model.react(state, i, this.#causes.back(peer), net, faults, visit);
    }
  }

  /** A command that is refused, or changes nothing, would only use up the allowed number of commands. */
  #expandCommands(state: Int32Array, i: number, members: readonly MemberId[] | null, visit: Visit): void {
    const model = this.#model;
    const before = state[i]!;
    const faults = oneMore(state[model.faults]!, 'commands');
    const id = countOf(faults, 'commands');
    for (const command of this.#commandsOf(model.cluster.ids[i]!, id, members)) {
      const cause = this.#causes.command(id, command);
      model.react(state, i, cause, state[model.net]!, faults, (transition) => {
        if (!isIdle(before, transition.outcome!)) visit(transition);
      });
    }
  }

  /** `members`: the membership that the asked member knows. */
  #commandsOf(self: MemberId, id: number, members: readonly MemberId[] | null): Command[] {
    const { bounds, cluster } = this.#model;
    return bounds.commands.types.flatMap((type): Command[] => {
      switch (type) {
        case 'campaign':
        case 'resign':
          return [{ type }];
        case 'publish':
          return [{ type, value: id }];
        case 'reconfigure':
          return (cluster.protocol.timesToTry ?? []).map((timing) => ({ type, timing }));
        case 'transfer':
          return cluster.ids.filter((other) => other !== self).map((to) => ({ type, to }));
        case 'add': {
          const isOut = (member: MemberId): boolean => !(members?.includes(member) ?? false);
          return cluster.ids.filter(isOut).map((member) => ({ type, member }));
        }
        case 'remove': {
          const known = members ?? cluster.ids;
          return known.length <= bounds.fewest ? [] : known.map((member) => ({ type, member }));
        }
        default:
          return assertNever(type);
      }
    });
  }
}
