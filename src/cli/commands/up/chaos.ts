import type { IncomingMessage } from 'node:http';
import { HttpError, readJson } from '../../../api/index.ts';
import { integer, record } from '../../../core/index.ts';
import type { Fleet, MemberState } from './fleet.ts';

interface Deed {
  readonly does: (fleet: Fleet, id: number) => void;
  /** The required state, and the error without it. */
  readonly needs: (state: MemberState) => boolean;
  readonly otherwise: string;
}

const runs = (state: MemberState): boolean => state !== 'down';

/** What the page can do to the processes, by path. */
export const DEEDS: Readonly<Record<string, Deed>> = {
  '/fleet/kill': { does: (fleet, id) => fleet.kill(id), needs: runs, otherwise: 'is down already' },
  '/fleet/pause': {
    does: (fleet, id) => fleet.pause(id),
    needs: (state) => runs(state) && state !== 'paused',
    otherwise: 'does not run',
  },
  '/fleet/resume': {
    does: (fleet, id) => fleet.resume(id),
    needs: (state) => state === 'paused',
    otherwise: 'is not paused',
  },
  '/fleet/start': {
    does: (fleet, id) => fleet.start(id),
    needs: (state) => state === 'down',
    otherwise: 'runs already',
  },
};

/** Returns the member that it was done to. */
export async function doDeed(fleet: Fleet, deed: Deed, request: IncomingMessage): Promise<number> {
  const body = record({ id: integer(1, fleet.members.length) });
  const { id } = body.read((await readJson(request, () => {})) ?? {}, '');
  const { state } = fleet.members.find((member) => member.id === id)!;
  if (!deed.needs(state)) throw new HttpError(409, 'E_REFUSED', `member ${id} ${deed.otherwise}`);
  deed.does(fleet, id);
  return id;
}
