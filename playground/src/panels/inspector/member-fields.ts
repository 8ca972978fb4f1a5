import type { MemberId } from '../../../../src/core/index.ts';
import type { World } from '../../../../src/simulation/index.ts';
import type { History } from '../../game/history/history.ts';
import { seconds } from '../../game/words/seconds.ts';
import { termWord } from '../../game/words/term-words.ts';
import { stateWords } from '../member-rows.ts';
import { type Field, fieldsOf, readable } from './readable.ts';

interface MemberFacts {
  /** What is visible from outside. */
  readonly seen: readonly Field[];
  /** Its timers, the next one due first. */
  readonly timers: readonly Field[];
  /** The inner state of its protocol. */
  readonly inner: readonly Field[];
}

export function memberFacts(history: History, world: World, id: MemberId, ms: number): MemberFacts | null {
  const shot = history.memberAt(id, ms);
  if (shot === undefined) return null;
  const { role, leader, term, votes, version, value } = shot;
  const seen: Field[] = [
    { name: 'state', value: stateWords(shot) },
    { name: 'role', value: shot.alive ? (role === 'none' ? 'no part yet' : role) : '–' },
    { name: 'leader', value: leader === id ? 'itself' : readable(leader) },
  ];
  if (term !== null) seen.push({ name: termWord(world.protocol.name), value: String(term) });
  if (votes.length > 0) seen.push({ name: 'votes from', value: votes.join(', ') });
  const lease = history.leaseAt(shot, ms);
  if (lease !== null) seen.push({ name: 'may act for', value: seconds(lease.dueMs - ms) });
  if (version > 0) seen.push({ name: `value, version ${version}`, value: readable(value) });
  const timers = history
    .timersAt(id, ms)
    .map(({ name, dueMs }) => ({ name, value: `in ${seconds(dueMs - ms)}` }));
  const state = world.hosts.get(id)?.running?.state;
  const inner = shot.alive && typeof state === 'object' && state !== null ? fieldsOf(state) : [];
  return { seen, timers, inner };
}
