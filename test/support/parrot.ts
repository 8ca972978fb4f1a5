import {
  type Definition,
  define,
  durationMs,
  type Effect,
  flag,
  type MemberId,
  natural,
  record,
  setting,
} from '../../src/core/index.ts';

interface State {
  others: readonly MemberId[];
  n: number;
}

/**
 * Not an election: a protocol whose whole behaviour is known, to test the world with. Everybody sends `ping`
 * with a running number to all others at every tick; with `careful`, the number is saved first.
 */
export const parrot: Definition = define({
  name: 'parrot',
  summary: 'sends ping to everybody at every tick',
  timing: { heartbeatMs: setting(durationMs, 100, 'how often') },
  options: { careful: setting(flag, false, 'save the number before it is sent') },
  messages: { ping: record<{ n: number }>({ n: natural }) },
  commands: ['campaign', 'add', 'remove'],
  create: ({ timing, options }) => ({
    name: 'parrot',
    pledges: [],
    init: ({ id, members }): State => ({ others: members.filter((member) => member !== id), n: 0 }),
    step(state, input, out: Effect[]) {
      const s = state as State;
      const tick: Effect = { type: 'set-timer', timer: 'tick', delayMs: timing.heartbeatMs };
      if (input.type === 'start') {
        if (input.saved !== null) s.n = input.saved as number;
        out.push(tick);
      } else if (input.type === 'timer') {
        s.n += 1;
        if (options.careful) out.push({ type: 'save', record: s.n });
        for (const to of s.others) out.push({ type: 'send', to, message: { type: 'ping', n: s.n } as never });
        out.push(tick);
      } else if (input.type === 'command') {
        out.push({ type: 'answer', command: input.id, outcome: { status: 'done' } });
      }
    },
  }),
});
