import type { Command, MemberId } from '../core/index.ts';
import { countOf, flagged, oneMore } from './bounds.ts';
import type { Finding } from './history.ts';
import { type Cause, unborn } from './member.ts';
import type { Model, Visit } from './model.ts';

/** A state in which everybody has just started, what they drew on the way, and what that broke already. */
export interface Root {
  readonly state: Int32Array;
  readonly draws: readonly (readonly string[])[];
  readonly findings: readonly Finding[];
}

/** Everything that can happen in a state, always in the same order, so that a number says which. */
export class Choices {
  readonly #model: Model;
  readonly #n: number;
  readonly #any: boolean;
  readonly #causes = new Map<string, number>();
  readonly #starts: number[] = [];

  constructor(model: Model) {
    this.#model = model;
    this.#n = model.cluster.ids.length;
    this.#any = model.bounds.network === 'any';
  }

  /** Everybody has started and nothing else has happened yet, in every way that their draws may fall. */
  roots(): Root[] {
    const model = this.#model;
    const { protocol, selves } = model.cluster;
    const state = new Int32Array(model.width);
    selves.forEach((self, i) => {
      state[i] = model.outcomes.locals.id(unborn(self, protocol));
    });
    let roots: Root[] = [{ state, draws: [], findings: [] }];
    for (let i = 0; i < this.#n; i++) {
      roots = roots.flatMap((root) => {
        const next: Root[] = [];
        const { state: before, draws, findings } = root;
        model.react(before, i, this.#start(false, 0), before[model.net]!, 0, (transition) => {
          const outcome = transition.outcome!;
          if (outcome.dies) return;
          next.push({
            state: Int32Array.from(transition.to),
            draws: [...draws, outcome.draws],
            findings: [...findings, ...transition.findings],
          });
        });
        return next;
      });
    }
    return roots;
  }

  expand(state: Int32Array, visit: Visit): void {
    const { outcomes } = this.#model;
    for (let i = 0; i < this.#n; i++) {
      const facts = outcomes.facts(state[i]!);
      if (facts.alive) this.#expandAlive(state, i, facts.timers, visit);
      else this.#expandDown(state, i, facts.saved, visit);
    }
    if (this.#any) this.#expandAnyNetwork(state, visit);
    else this.#expandCountedNetwork(state, visit);
  }

  #expandAlive(state: Int32Array, i: number, timers: readonly number[], visit: Visit): void {
    const model = this.#model;
    const net = state[model.net]!;
    const faults = state[model.faults]!;
    if (model.mayStill(faults, 'timers')) {
      const fired = model.bounds.timers === null ? faults : oneMore(faults, 'timers');
      for (const timer of timers) model.react(state, i, timer, net, fired, visit);
    }
    if (model.mayStill(faults, 'crashes')) model.crash(state, i, visit);
    if (model.mayStill(faults, 'evidence')) this.#expandEvidence(state, i, visit);
    if (model.mayStill(faults, 'commands')) this.#expandCommands(state, i, visit);
  }

  #expandDown(state: Int32Array, i: number, saved: boolean, visit: Visit): void {
    const model = this.#model;
    const net = state[model.net]!;
    const faults = state[model.faults]!;
    model.react(state, i, this.#start(false, faults), net, faults, visit);
    if (!model.bounds.amnesia || !saved) return;
    model.react(state, i, this.#start(true, faults), net, flagged(faults, 'amnesia'), visit);
  }

  /** Whatever was sent may arrive, and stays under way. To lose a message is never to deliver it. */
  #expandAnyNetwork(state: Int32Array, visit: Visit): void {
    const model = this.#model;
    const net = state[model.net]!;
    const faults = state[model.faults]!;
    for (const message of model.inFlight.lists.value(net)) {
      const i = model.outcomes.receiver(message);
      if (i >= 0 && model.outcomes.facts(state[i]!).alive) model.react(state, i, message, net, faults, visit);
    }
  }

  #expandCountedNetwork(state: Int32Array, visit: Visit): void {
    const { inFlight } = this.#model;
    let previous = -1;
    for (const message of inFlight.lists.value(state[this.#model.net]!)) {
      // Of equal messages, one is as good as another.
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
      // What arrives where nobody listens is lost, and is no fault of the network.
      model.disturb(state, 'drop', message, rest, faults, visit);
    }
    if (!model.mayStill(faults, 'duplicates')) return;
    const doubled = model.inFlight.with(net, model.inFlight.id([message]));
    model.disturb(state, 'duplicate', message, doubled, oneMore(faults, 'duplicates'), visit);
  }

  /** A member hears of a peer: that it is gone (with proof only if it is, unless proof may be false), or that it is back. */
  #expandEvidence(state: Int32Array, i: number, visit: Visit): void {
    const model = this.#model;
    const net = state[model.net]!;
    const faults = oneMore(state[model.faults]!, 'evidence');
    for (let j = 0; j < this.#n; j++) {
      if (j === i) continue;
      const peer = model.cluster.ids[j]!;
      const { alive } = model.outcomes.facts(state[j]!);
      model.react(
        state,
        i,
        this.#cause({ type: 'peer-gone', peer, proof: false, life: null }),
        net,
        faults,
        visit,
      );
      if (!alive || model.bounds.falseProof) {
        const proof = this.#cause({ type: 'peer-gone', peer, proof: true, life: null });
        model.react(state, i, proof, net, alive ? flagged(faults, 'falseProof') : faults, visit);
      }
      if (alive) model.react(state, i, this.#cause({ type: 'peer-back', peer }), net, faults, visit);
    }
  }

  #expandCommands(state: Int32Array, i: number, visit: Visit): void {
    const model = this.#model;
    const faults = oneMore(state[model.faults]!, 'commands');
    const id = countOf(faults, 'commands');
    for (const command of this.#commandsOf(model.cluster.ids[i]!, id)) {
      model.react(state, i, this.#cause({ type: 'command', id, command }), state[model.net]!, faults, visit);
    }
  }

  #commandsOf(member: MemberId, id: number): Command[] {
    const { bounds, cluster } = this.#model;
    const others = cluster.ids.filter((other) => other !== member);
    return bounds.commands.types.flatMap((type): Command[] => {
      if (type === 'transfer') return others.map((to) => ({ type, to }));
      return type === 'publish' ? [{ type, value: id }] : [{ type }];
    });
  }

  /** Incarnations are numbered by the crashes so far: new at every start, and no need to remember them. */
  #start(amnesia: boolean, faults: number): number {
    const crashes = countOf(faults, 'crashes');
    const key = 2 * crashes + Number(amnesia);
    let id = this.#starts[key];
    if (id === undefined) {
      id = this.#cause({ type: 'start', amnesia, incarnation: 1 + crashes });
      this.#starts[key] = id;
    }
    return id;
  }

  /** The number of a cause. Telling them apart by a plain text is quicker than by the whole cause. */
  #cause(cause: Exclude<Cause, { type: 'message' | 'timer' }>): number {
    const text = JSON.stringify(cause);
    let id = this.#causes.get(text);
    if (id === undefined) {
      id = this.#model.outcomes.causes.id(cause);
      this.#causes.set(text, id);
    }
    return id;
  }
}
