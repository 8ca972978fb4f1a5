import { assert, assertNever, type Json, type TraceLine } from '../../core/index.ts';
import type { Exploring } from '../explorer.ts';
import { clusterOf } from '../model/cluster.ts';
import { down, type Local, type Reaction, react, unborn } from '../model/member.ts';
import type { Act } from './path.ts';

/** One event, and the member's reaction. */
export interface Told {
  readonly act: Act;
  /** Null if no member processed an input. */
  readonly reaction: Reaction | null;
}

/** Replays the events of a history with the members' own ids: what the explorer saw is what is shown. */
export function retell(
  { protocol, members }: Pick<Exploring, 'protocol' | 'members'>,
  acts: readonly Act[],
): Told[] {
  const cluster = clusterOf(protocol, members, false);
  const locals: Local[] = cluster.selves.map((self) => unborn(cluster, self));
  return acts.map((act): Told => {
    if (act.kind !== 'react' && act.kind !== 'crash') return { act, reaction: null };
    const i = cluster.ids.indexOf(act.member);
    const local = locals[i];
    assert(local !== undefined, `there is no member ${act.member}`);
    if (act.kind === 'crash') {
      locals[i] = down(local);
      return { act, reaction: null };
    }
    const { cause, draws, diesAtSave } = act;
    assert(local.alive !== (cause.type === 'start'), `${act.member} cannot take a ${cause.type}`);
    const reaction = react(protocol, cluster.selves[i]!, local, cause, { draws, draw: '0', diesAtSave });
    locals[i] = reaction.local;
    return { act, reaction };
  });
}

/** A history as a trace. There is no time in it: events are numbered. */
export function traceOf(told: readonly Told[]): TraceLine[] {
  return told.flatMap(linesOf);
}

function linesOf({ act, reaction }: Told, atMs: number): TraceLine[] {
  const event = (what: string, fields: Record<string, Json>): TraceLine => ({
    atMs,
    event: { do: what, ...fields },
  });
  switch (act.kind) {
    case 'drop':
    case 'duplicate':
      return [event(act.kind, { from: act.from, to: act.to, type: act.message.type })];
    case 'crash':
      return [event('crash', { member: act.member })];
    case 'react': {
      const { member, cause, diesAtSave } = act;
      const steps = reaction!.steps.map((step) => ({ atMs, member, ...step }));
      const restart = cause.type === 'start' && cause.incarnation > 1;
      const before = restart ? [event('restart', { member, amnesia: cause.amnesia })] : [];
      const after = diesAtSave === null ? [] : [event('crash', { member, saving: diesAtSave })];
      return [...before, ...steps, ...after];
    }
    default:
      return assertNever(act);
  }
}
