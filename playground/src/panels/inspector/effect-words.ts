import type { Delay, Effect, Json, Message } from '../../../../src/core/index.ts';
import { readable } from './readable.ts';

/** An effect of a member, in words. */
export function effectWords(effect: Effect): string {
  switch (effect.type) {
    case 'send':
      return `sends ${messageWords(effect.message)} to ${effect.to}`;
    case 'call':
      return `sends ${messageWords(effect.message)} to the member at ${effect.at}`;
    case 'set-timer':
      return `sets its timer ${effect.timer} to ${delayWords(effect.delayMs)}`;
    case 'cancel-timer':
      return `cancels its timer ${effect.timer}`;
    case 'save':
      return `saves: ${readable(effect.record)}`;
    case 'draw':
      return 'draws a number';
    case 'report': {
      const { role, leader, term, version } = effect.view;
      return `reports: ${readable({ role, leader, term, version })}`;
    }
    case 'answer':
      return `answers: ${readable(effect.outcome as unknown as Json)}`;
  }
}

function delayWords(delayMs: Delay): string {
  return typeof delayMs === 'number'
    ? `${Math.round(delayMs)} ms`
    : `between ${delayMs[0]} and ${delayMs[1]} ms`;
}

function messageWords({ type, ...fields }: Message): string {
  return Object.keys(fields).length === 0 ? type : `${type} (${readable(fields as unknown as Json)})`;
}
