/** The suite itself: what it skips, what it does not insist on, and what it says of an engine that misbehaves. */
import { describe, expect, it } from 'vitest';
import type { Seat, Standing } from '../../src/election/index.ts';
import {
  type Case,
  conformance,
  type EngineKit,
  type Participant,
} from '../../src/engines/conformance/index.ts';
import { Memory } from '../../src/engines/memory/memory.ts';

const memory = new Memory();
const usual: EngineKit = {
  leaseMs: 200,
  open: (options) => memory.engine(options),
  cannot: { crash: 'it lives in this process' },
};

function caseOf(kit: EngineKit, begin: string): Case {
  return conformance(kit).find(({ name }) => name.startsWith(begin))!;
}

/** The same engine with something else about how an election stands. */
function bent(engine: Participant, bend: (standing: Standing) => Partial<Standing>): Participant {
  const show = (standing: Standing): Standing => ({ ...standing, ...bend(standing) });
  const seat = (election: string): Seat => {
    const inner = engine.seat(election);
    return new Proxy(inner, {
      get(_, field) {
        if (field === 'standing') return show(inner.standing);
        if (field === 'watch')
          return (listener: (standing: Standing) => void) => inner.watch((each) => listener(show(each)));
        const found = inner[field as keyof Seat];
        return typeof found === 'function' ? found.bind(inner) : found;
      },
    });
  };
  return { name: engine.name, seat, close: () => engine.close() };
}

describe('the conformance suite', () => {
  it('skips all that needs a crash where the kit has none, with the reason', () => {
    const skipped = conformance(usual).filter(({ skip }) => skip !== null);
    expect(skipped.map(({ name }) => name.slice(0, 30))).toEqual([
      'a leader that vanishes is repl',
      'a leader that cannot renew sto',
      'a process that comes back unde',
      'what a participant had begun w',
      'the shards of a replica that v',
    ]);
    for (const { skip } of skipped) expect(skip).toBe('it lives in this process');
  });

  it('says so when there is neither a crash nor a reason', async () => {
    const { open, leaseMs } = usual;
    const { run } = caseOf({ open, leaseMs }, 'a process that comes back');
    await expect(run()).rejects.toThrow('the kit has neither crash() nor a reason in cannot.crash');
  });

  it.each(['there is no leader until', 'an observer that is no candidate'])(
    'does not insist on words: %s',
    async (begin) => {
      const inOwnWords = (): Partial<Standing> => ({ cause: 'resigned', detail: 'niemand' });
      const open: EngineKit['open'] = (options) => bent(memory.engine(options), inOwnWords);
      await caseOf({ ...usual, open }, begin).run();
    },
  );

  it('says what it expected and what it found', async () => {
    const open: EngineKit['open'] = (options) =>
      bent(memory.engine(options), ({ leader, token }) => (leader === null ? {} : { token: token! + 1n }));
    const { run } = caseOf({ ...usual, open }, 'a single candidate');
    await expect(run()).rejects.toThrow('the winner sees itself as the leader, with its token');
  });
});
