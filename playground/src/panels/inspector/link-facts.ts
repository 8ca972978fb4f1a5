import type { MemberId } from '../../../../src/core/index.ts';
import type { World } from '../../../../src/simulation/index.ts';
import type { History } from '../../game/history/history.ts';
import { countUpTo } from '../../game/history/track.ts';
import { type Field, fieldsOf } from './readable.ts';

/** One direction of a link at that moment. */
export interface LinkFacts {
  readonly from: MemberId;
  readonly to: MemberId;
  readonly carries: boolean;
  readonly fields: readonly Field[];
}

export function linkFacts(
  history: History,
  world: World,
  from: MemberId,
  to: MemberId,
  ms: number,
): LinkFacts {
  const carries = !(history.blocked.at(ms)?.has(`${from}>${to}`) ?? false);
  let [sent, arrived, failed] = [0, 0, 0];
  const { all, sentMs } = history.flights;
  for (let i = countUpTo(sentMs, ms) - 1; i >= 0; i--) {
    const flight = all[i]!;
    if (flight.from !== from || flight.to !== to) continue;
    sent += 1;
    if (flight.endMs > ms) continue;
    if (flight.fate === 'arriving' || flight.fate === 'unknown') arrived += 1;
    else if (flight.fate !== 'duplicated') failed += 1;
  }
  const counts = { sent, arrived, 'did not arrive': failed };
  return { from, to, carries, fields: [...fieldsOf(counts), ...fieldsOf(world.network.qualityOf(from, to))] };
}
