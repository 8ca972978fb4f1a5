import type { Fate, Flight } from '../../game/history/flights.ts';
import { seconds } from '../../game/words/seconds.ts';

const FATES: Readonly<Record<Exclude<Fate, 'arriving'>, string>> = {
  lost: 'lost by the network',
  cut: 'cut off: the link carries nothing',
  dropped: 'dropped by hand',
  held: 'held back by hand',
  duplicated: 'duplicated by hand: two copies took its place',
  unknown: 'not recorded',
};

const SHORT: Partial<Record<Fate, string>> = { cut: 'cut off' };

/** "keep-alive 1 → 3: cut off", of a message that never came. */
export function unheardWords({ from, to, message, fate }: Flight): string {
  return `${message.type} ${from} → ${to}: ${SHORT[fate] ?? fate}`;
}

/** The fate of a message at that moment. */
export function fateWords({ fate, endMs, arrivedAs, dueMs }: Flight, ms: number): string {
  if (ms < endMs) return `on its way, due in ${seconds(dueMs - ms)}`;
  if (fate !== 'arriving') return `${FATES[fate]}, at ${seconds(endMs)}`;
  return arrivedAs >= 0 ? `arrived at ${seconds(endMs)}` : `reached no running member at ${seconds(endMs)}`;
}
