import type { MemberId } from '../../../../src/core/index.ts';
import { type EventEntry, type History, isOrder } from '../history/history.ts';

/** A restart, a command or a forged message has a permanent effect; other events last until they are undone. */
const LASTING = [
  'restart',
  'twin',
  'network',
  'inject',
  'fire',
  'disk',
  'drop',
  'dropped',
  'hold',
  'held',
  'evidence',
];

/** The events from outside that still had an effect at that moment, oldest first. */
export function inForceAt(history: History, ms: number, most: number): EventEntry[] {
  const found: EventEntry[] = [];
  const blocked = history.blocked.at(ms);
  let mayCut = blocked !== undefined && blocked.size > 0;
  let mayPart = mayCut;
  for (let i = history.countAt(ms) - 1; i >= 0 && found.length < most; i--) {
    const entry = history.entries[i]!;
    if (entry.kind !== 'event' || !isOrder(entry) || entry.event.skipped !== undefined) continue;
    const { event } = entry;
    const shot = history.memberAt(event.member as MemberId, ms);
    switch (event.do) {
      case 'partition':
        if (mayPart) found.push(entry);
        mayPart = false; // It replaced every earlier partition.
        break;
      case 'heal':
        if (event.from === undefined) mayCut = mayPart = false;
        break;
      case 'cut':
        if (mayCut && blocked!.has(`${event.from}>${event.to}`)) found.push(entry);
        break;
      case 'crash':
        if (shot?.alive === false) found.push(entry);
        break;
      case 'pause':
        if (shot?.paused) found.push(entry);
        break;
      case 'clock':
        if (shot !== undefined && shot.clockRate !== 1) found.push(entry);
        break;
      default:
        if (LASTING.includes(event.do)) found.push(entry);
    }
  }
  return found.reverse();
}
