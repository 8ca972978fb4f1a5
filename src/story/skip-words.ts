import type { EventScene } from './scene.ts';

/** Whom an event was meant for when nobody fits, by what it would have done or whom it named. */
const NOBODY: Readonly<Record<string, string>> = {
  restart: 'nobody is down',
  leader: 'nobody leads',
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
export function skipWords({ do: what, skipped }: EventScene['event']): string {
  const reason = String(skipped);
  const named = /^nobody fits "(.*)"$/.exec(reason)?.[1];
  if (named !== undefined) {
    const why = what === 'restart' && named !== 'leader' ? NOBODY.restart : NOBODY[named];
    return `no ${what}, since ${why ?? reason}`;
  }
  return `no ${what}, since ${(reason === 'it would change nothing' ? NOTHING_TO_DO[what] : undefined) ?? reason}`;
}
