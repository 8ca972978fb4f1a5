import type { Skip } from '../simulation/index.ts';
import type { EventScene } from './scene.ts';

/** Why no member fits the event, by its action or its selector. */
const NO_MATCH: Readonly<Record<string, string>> = {
  restart: 'no member is down',
  leader: 'there is no leader',
  followers: 'there is no follower',
  random: 'no member runs',
  all: 'no member runs',
};

const NOTHING_TO_DO: Readonly<Record<string, string>> = {
  crash: 'it is down already',
  backup: 'its disk is empty',
  pause: 'it is stopped or down already',
  resume: 'no member is stopped',
  fire: 'no such timer is set',
  evidence: 'no other member runs',
  campaign: 'it is down',
  resign: 'it is down',
  transfer: 'it is down',
  publish: 'it is down',
};

/** "no restart, since no member is down" */
export function skipWords(event: EventScene['event']): string {
  return `no ${event.do}, since ${reasonWords(event.do, event as unknown as Skip)}`;
}

function reasonWords(what: string, skip: Skip): string {
  switch (skip.skipped) {
    case 'no-match': {
      const { selector } = skip;
      const why = what === 'restart' && selector !== 'leader' ? NO_MATCH.restart : NO_MATCH[selector];
      return why ?? `no member fits "${selector}"`;
    }
    case 'no-link':
      return `no link fits "${skip.selectors[0]}" and "${skip.selectors[1]}"`;
    case 'no-effect':
      return NOTHING_TO_DO[what] ?? 'it would change nothing';
    case 'not-running':
      return `${skip.of} does not run`;
    case 'none-running':
      return 'no member runs';
    case 'has-second-process':
      return `a second process of ${skip.of} runs already`;
    case 'no-second-process':
      return 'no second process runs';
    case 'never-had-second-process':
      return `${skip.of} never had a second process`;
    case 'no-earlier-process':
      return `${skip.of} had no earlier process`;
    case 'not-held':
      return 'nothing of that kind is held';
    case 'not-in-flight':
      return `message ${skip.flight} is not on its way`;
    case 'fixed-membership':
      return `${skip.protocol} has a fixed membership`;
    default:
      // A trace of an earlier version contains the words themselves.
      return String((skip as { readonly skipped: unknown }).skipped);
  }
}
