import type { MemberId, Message } from '../core/index.ts';
import { listed, nameMembers } from './names.ts';
import { counted, duration, grouped } from './numbers.ts';
import type { EventScene, Routine } from './scene.ts';
import { shorten, type Vocabulary } from './vocabulary.ts';

/** "64 keep-alive and 8 ack in 3.2 s (5 lost)" */
export function routineWords({ sent, unheard, changes }: Routine, lastedMs: number): string {
  const most = [...sent].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const kinds = most.slice(0, 3).map(([type, count]) => `${grouped(count)} ${type}`);
  const rest = most.slice(3).reduce((sum, [, count]) => sum + count, 0);
  if (rest > 0) kinds.push(`${grouped(rest)} more`);
  if (changes > 0) kinds.unshift(counted(changes, 'change'));
  const missing = [...unheard].map(
    ([fate, count]) => `${grouped(count)} ${fate === 'cut' ? 'cut off' : fate}`,
  );
  const words = `${kinds.length === 0 ? 'nothing new' : listed(kinds)} in ${duration(lastedMs)}`;
  return missing.length === 0 ? words : `${words} (${missing.join(', ')})`;
}

/** What happened around the members, in words; `who` where it happened to several of them at once. */
export function eventWords(
  { event, about }: EventScene,
  who: string,
  many: boolean,
  vocabulary: Vocabulary,
): string {
  const verb = (one: string, more: string): string => `${who} ${many ? more : one}`;
  const { from, to } = event;
  if (event.skipped !== undefined) return `no ${event.do}, since ${event.skipped}`;
  switch (event.do) {
    case 'crash':
      return verb('crashes', 'crash');
    case 'restart':
      return `${verb('restarts', 'restart')} with ${event.amnesia ? 'an empty disk' : `${many ? 'their disks' : 'its disk'}`}`;
    case 'boot':
      return verb('is new', 'are new');
    case 'pause':
      return verb('stops as with SIGSTOP', 'stop as with SIGSTOP');
    case 'resume':
      return verb('goes on', 'go on');
    case 'torn-record':
      return `the last record of ${who} was torn`;
    case 'lost-record':
      return `the last record of ${who} was lost`;
    case 'partition':
      return `partition: ${(event.groups as MemberId[][]).map((group) => nameMembers(group, [])).join(' | ')}`;
    case 'cut':
      if (event.type !== undefined) return `${event.type} ${from} → ${to} is cut off`;
      return event.oneWay ? `cut from ${from} to ${to}` : `cut between ${from} and ${to}`;
    case 'heal':
      if (from === undefined) return 'every link heals';
      return event.oneWay ? `heals from ${from} to ${to}` : `heals between ${from} and ${to}`;
    case 'dropped':
    case 'held':
      return `${event.type} ${from} → ${to} is ${event.do}`;
    case 'release':
      return `${event.type} ${from} → ${to} is released`;
    case 'inject':
      return `forged: ${vocabulary.describe(event.message as unknown as Message)} ${from} → ${to}`;
    case 'evidence':
      return `${who} ${many ? 'are' : 'is'} told that ${event.peer} is ${event.gone ? 'gone' : 'back'}${event.proof ? ' (proof)' : ''}`;
    case 'campaign':
    case 'resign':
      return `${who} ${many ? 'are' : 'is'} asked to ${event.do}`;
    case 'transfer':
      return `${who} is asked to hand over to ${to}`;
    case 'publish':
      return `${who} is asked to publish ${shorten(event.value ?? null)}`;
    case 'answer': {
      const outcome = event.status === 'done' ? 'done' : `${event.status}, ${event.reason}`;
      return `${who}: ${about ?? 'command'} ${outcome}`;
    }
    default:
      return otherWords(event);
  }
}

/** "network: loss 0.1, member 3" */
function otherWords({ do: what, ...fields }: EventScene['event']): string {
  const parts = Object.entries(fields).map(([name, value]) => `${name} ${shorten(value)}`);
  return parts.length === 0 ? what : `${what}: ${parts.join(', ')}`;
}
