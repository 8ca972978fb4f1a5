/** Somebody elsewhere asks a leader to resign, and a leader is asked. */
import { describe, expect, it } from 'vitest';
import { Election, type ResignationRequest } from '../../src/election/index.ts';
import { ScriptedSeat } from './scripted-seat.ts';
import { aborted, calm, open } from './support.ts';

/** A seat that can pass requests on. */
class AskingSeat extends ScriptedSeat {
  readonly requests: ResignationRequest[] = [];

  async ask(request: ResignationRequest): Promise<void> {
    this.requests.push(request);
  }
}

function openAsking(): { seat: AskingSeat; election: Election } {
  const seat = new AskingSeat();
  return { seat, election: new Election(seat.election, { seat: () => seat }) };
}

describe('a leader that is asked to resign', () => {
  it.each([
    ['the node is drained', 'its resignation was requested: the node is drained'],
    ['', 'its resignation was requested'],
  ])('stops its work, then releases, and stands again (%j)', async (asked, detail) => {
    const { seat, election } = open();
    const steps: string[] = [];
    seat.onRelease = async () => void steps.push('released');
    const led = election.lead(async ({ token, signal }) => {
      if (token > 1n) return 'led again';
      await aborted(signal);
      expect(signal.reason).toMatchObject({ cause: 'resigned', detail });
      await calm();
      steps.push('stopped');
      return 'stopped';
    });
    seat.win();
    await calm();
    seat.change({ asked });
    await expect.poll(() => steps).toEqual(['stopped', 'released']);
    expect(seat.log).toEqual(['stand', 'resign']);
    expect(seat.why).toMatchObject({ cause: 'resigned', detail });
    seat.change({ asked: null });
    seat.win();
    expect(await led).toBe('led again');
  });

  it('is not disturbed in the next leadership', async () => {
    const { seat, election } = open();
    seat.win();
    const first = await election.campaign();
    seat.change({ asked: 'once' });
    expect(first.isValid()).toBe(false);
    await first.resign();
    seat.change({ asked: null });
    seat.win();
    const second = await election.campaign();
    expect(second.isValid()).toBe(true);
    await second.resign();
  });
});

describe('askToResign', () => {
  it('asks the leadership that lasts, or the one that is meant', async () => {
    const { seat, election } = openAsking();
    seat.change({ leader: 'b', token: 7n });
    await election.askToResign();
    await election.askToResign({ reason: 'an upgrade', token: 5n });
    expect(seat.requests).toEqual([
      { reason: '', token: 7n },
      { reason: 'an upgrade', token: 5n },
    ]);
  });

  it('is refused where nobody can be asked', async () => {
    const { seat, election } = openAsking();
    await expect(election.askToResign()).rejects.toMatchObject({ code: 'E_NOT_LEADER' });
    seat.change({ leader: 'etcdctl', token: null });
    await expect(election.askToResign()).rejects.toMatchObject({
      code: 'E_UNSUPPORTED',
      message: 'etcdctl cannot be asked to resign: it has no token, so it is not a participant of Caucus',
    });
    const { election: other } = open();
    await expect(other.askToResign()).rejects.toMatchObject({ code: 'E_UNSUPPORTED' });
    expect(seat.requests).toEqual([]);
  });

  it.each(['two\nlines', 'x'.repeat(501), 5 as unknown as string])(
    'refuses the reason %j',
    async (reason) => {
      const { seat, election } = openAsking();
      seat.change({ leader: 'b', token: 7n });
      await expect(election.askToResign({ reason })).rejects.toThrow(
        /^reason: expected one line of at most 500/,
      );
      expect(seat.requests).toEqual([]);
    },
  );
});
