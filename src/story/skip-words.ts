import type { Skip } from '../simulation/index.ts';
import type { EventScene } from './scene.ts';

/** Whom an event was meant for when nobody fits, by what it would have done or whom it named. */
const NOBODY: Readonly<Record<string, string>> = {
  restart: 'nobody is down',
  leader: 'there is no leader',
  followers: 'nobody follows',
  random: 'nobody runs',
  all: 'nobody runs',
};

const NOTHING_TO_DO: Readonly<Record<string, string>> = {
  crash: 'it is down already',
  backup: 'its disk is empty',
  pause: 'it is stopped or down already',
  resume: 'nobody is stopped',
  fire: 'no such timer is set',
  evidence: 'nobody else runs',
  campaign: 'it is down',
  resign: 'it is down',
  transfer: 'it is down',
  publish: 'it is down',
};

/** "no restart, since nobody is down" */
export function skipWords(event: EventScene['event']): string {
  return `no ${event.do}, since ${reasonWords(event.do, event as unknown as Skip)}`;
}

function reasonWords(what: string, skip: Skip): string {
  switch (skip.skipped) {
    case 'no-match': {
      const { selector } = skip;
      const why = what === 'restart' && selector !== 'leader' ? NOBODY.restart : NOBODY[selector];
      return why ?? `nobody fits "${selector}"`;
    }
    case 'no-link':
      return `no link fits "${skip.selectors[0]}" and "${skip.selectors[1]}"`;
    case 'no-effect':
      return NOTHING_TO_DO[what] ?? 'it would change nothing';
    case 'not-running':
      return `${skip.of} does not run`;
    case 'none-running':
      return 'nobody runs';
    case 'has-second-process':
      return `a second process of ${skip.of} runs already`;
    case 'no-second-process':
      return 'no second process runs';
    case 'never-had-second-process':
      return `${skip.of} never had a second process`;
    case 'not-held':
      return 'nothing of that kind is held';
    case 'not-in-flight':
      return `message ${skip.flight} is not on its way`;
    case 'fixed-membership':
      return `${skip.protocol} has a fixed membership`;
    default:
      // A trace that an earlier version wrote has the words themselves.
      return String((skip as { readonly skipped: unknown }).skipped);
  }
}
