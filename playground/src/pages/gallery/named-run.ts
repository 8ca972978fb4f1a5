import { BadInput, show } from '../../../../src/core/index.ts';
import { catalogue } from '../../../../src/protocols/index.ts';
import type { Run } from '../../game/run/run.ts';
import { STORIES } from './scenarios.ts';
import { runOf } from './story.ts';

/** What a link to a scenario ends in. */
export function addressOf(name: string, protocol: string): string {
  return `#s=${name}&protocol=${protocol}`;
}

/** The run that a link like `#s=bridge&protocol=epoch` names. */
export function namedRun(name: string, protocol: string): Run {
  const story = STORIES.find((each) => each.name === name);
  if (story === undefined) {
    const some = STORIES.slice(0, 3).map((each) => each.name);
    throw new BadInput(
      's',
      `the name of a scenario in the gallery (${some.join(', ')}, …: each card copies its link)`,
      show(name),
    );
  }
  if (!Object.hasOwn(catalogue, protocol)) {
    throw new BadInput('protocol', `one of ${Object.keys(catalogue).join(', ')}`, show(protocol));
  }
  return runOf(story, protocol);
}
