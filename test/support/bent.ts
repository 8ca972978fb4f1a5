import { type Effect, type Input, type Protocol, readSettings } from '../../src/core/index.ts';
import { epoch } from '../../src/protocols/epoch.ts';

/** The parts of an epoch election's state that bugs are planted in. */
export interface EpochState {
  epoch: number;
  votedFor: number | null;
  votes: number[];
  role: string;
}

/** A planted bug: something done before a step, to the state or the input, or to the effects after it. */
interface Bend {
  readonly before?: (state: EpochState, input: Input) => Input;
  readonly after?: (effects: Effect[], state: EpochState, input: Input) => Effect[];
}

export function epochProtocol(): Protocol {
  return epoch.create({ timing: readSettings(epoch.timing, {}, ''), options: {} });
}

/** An epoch election with a bug. */
export function bent({ before, after }: Bend): Protocol {
  const straight = epochProtocol();
  return {
    ...straight,
    step(state, input, out) {
      const s = state as EpochState;
      const effects: Effect[] = [];
      straight.step(state, before === undefined ? input : before(s, input), effects);
      out.push(...(after === undefined ? effects : after(effects, s, input)));
    },
  };
}

const isSave = (effect: Effect): boolean => effect.type === 'save';
const epochOf = (input: Input): number =>
  input.type === 'message' ? (input.message as unknown as { epoch: number }).epoch : 0;

type EpochBounds = { readonly terms: number; readonly crashes: number };

/** Bugs that break a promise of the epoch election, with the promise and what it takes to see it. */
export const epochBugs: Readonly<
  Record<string, { readonly breaks: string; readonly bounds: EpochBounds; readonly protocol: Protocol }>
> = {
  'votes for whoever asks': {
    breaks: 'S2',
    bounds: { terms: 1, crashes: 0 },
    protocol: bent({
      before(s, input) {
        if (input.type === 'message' && input.message.type === 'vote-request' && epochOf(input) === s.epoch)
          s.votedFor = null;
        return input;
      },
    }),
  },
  'sends before it saves': {
    breaks: 'S2',
    bounds: { terms: 2, crashes: 1 },
    protocol: bent({
      after: (effects) => [...effects.filter((each) => !isSave(each)), ...effects.filter(isSave)],
    }),
  },
  'saves nothing': {
    breaks: 'S3',
    bounds: { terms: 2, crashes: 1 },
    protocol: bent({ after: (effects) => effects.filter((each) => !isSave(each)) }),
  },
  'counts votes of older epochs': {
    breaks: 'S4',
    bounds: { terms: 2, crashes: 1 },
    protocol: bent({
      before(s, input) {
        if (input.type !== 'message' || input.message.type !== 'vote' || epochOf(input) >= s.epoch)
          return input;
        return { ...input, message: { ...input.message, epoch: s.epoch } as never };
      },
    }),
  },
  'leads without waiting for votes': {
    breaks: 'S4',
    bounds: { terms: 2, crashes: 1 },
    protocol: bent({
      after(effects, s) {
        if (s.role !== 'candidate') return effects;
        s.role = 'leader';
        const lead = (effect: Effect): Effect =>
          effect.type === 'report' ? { ...effect, view: { ...effect.view, role: 'leader' } } : effect;
        return effects.map(lead);
      },
    }),
  },
};
