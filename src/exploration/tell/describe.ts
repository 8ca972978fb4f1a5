import { assertNever } from '../../core/index.ts';
import { type Bounds, DEFAULT_COUNTER, isPrompt } from '../model/bounds.ts';
import type { Direction, Script } from '../model/script.ts';

/**
 * The bounds in words, as part of every result; without the network if it is unrestricted and that was already said.
 */
export function describeBounds(bounds: Bounds, tellsAnyNetwork = true): string[] {
  const { terms, counters, crashes, amnesia, unsynced, network, evidence, falseProof, commands } = bounds;
  const words = [`terms up to ${terms}`];
  for (const [name, most] of Object.entries(counters)) words.push(`${name} up to ${most}`);
  words.push(`other counters up to ${DEFAULT_COUNTER}`);
  words.push(`crashes: ${crashes}${crashes > 0 && unsynced ? ', also in the middle of a save' : ''}`);
  if (amnesia > 0) words.push(`lost disks: ${amnesia}`);
  if (network === 'any') {
    if (tellsAnyNetwork) words.push('every message arrives any number of times, in any order, or never');
  } else if (isPrompt(network)) {
    const when = network.breaks === 'any' ? 'at any message' : 'at their first message';
    words.push(
      `messages arrive before the next event, or never: links break ${when}; late messages: ${network.late}`,
    );
  } else {
    const { inFlight, drops, duplicates } = network;
    words.push(`messages in flight: ${inFlight}, lost: ${drops}, doubled: ${duplicates}, in any order`);
  }
  if (evidence > 0) words.push(`evidence: ${evidence}${falseProof ? ', and proof may be false' : ''}`);
  if (commands.most > 0) words.push(`commands: ${commands.most} of ${commands.types.join(', ')}`);
  if (bounds.fewest > 1) words.push(`members never fewer than ${bounds.fewest}`);
  if (bounds.timers !== null) words.push(`timers that fire: ${bounds.timers}${without(bounds.uncounted)}`);
  if (bounds.firing !== null) words.push(`of the timers only ${bounds.firing.join(', ')}`);
  if (bounds.mute.length > 0) words.push(`${bounds.mute.join(', ')} never arrive`);
  if (bounds.atOnce.length > 0) words.push(`${bounds.atOnce.join(', ')} arrive at once`);
  if (bounds.depth !== null) words.push(`acts: ${bounds.depth}`);
  return words;
}

function without(uncounted: readonly string[]): string {
  return uncounted.length === 0 ? '' : ` (${uncounted.join(', ')} not counted)`;
}

/** The script in words. */
export function describeScript(script: Script): string[] {
  return script.map(describe);
}

function describe(direction: Direction): string {
  switch (direction.do) {
    case 'crash':
      return `${direction.member} crashes`;
    case 'restart':
      return `${direction.member} restarts${direction.amnesia ? ' with an empty disk' : ''}`;
    case 'fire':
      return `${direction.timer} of ${direction.member} comes due`;
    case 'ask': {
      const { type, ...fields } = direction.command;
      return [`${direction.member} is asked to ${type}`, ...Object.values(fields).map(String)].join(' ');
    }
    case 'talk': {
      const { among, types } = direction;
      return `${among.join(', ')} talk${types === undefined ? '' : ` (${types.join(', ')})`}`;
    }
    case 'lose': {
      const { from, to } = direction;
      const way = `${from === undefined ? '' : ` from ${from}`}${to === undefined ? '' : ` to ${to}`}`;
      return `what is under way${way} is lost`;
    }
    default:
      return assertNever(direction);
  }
}
