import type { Causes } from './causes.ts';
import { unborn } from './member.ts';
import type { Model } from './model.ts';
import type { Script } from './script.ts';
import { after, type Root, Stage } from './stage.ts';

/** All members have started, in every way that their draws may fall, and the script was played. Nothing else has happened yet. */
export function rootsOf(model: Model, causes: Causes, script: Script): Root[] {
  const played = started(model, causes).map((root) => new Stage(model, causes, root).play(script));
  for (const { state } of played) model.begin(state);
  return played;
}

function started(model: Model, causes: Causes): Root[] {
  const { cluster, bounds, outcomes } = model;
  const state = new Int32Array(model.width);
  cluster.selves.forEach((self, i) => {
    state[i] = outcomes.locals.id(unborn(cluster, self, bounds.evidence > 0));
  });
  let roots: Root[] = [{ state, steps: [], findings: [] }];
  for (let i = 0; i < cluster.ids.length; i++) {
    roots = roots.flatMap((root) => {
      const next: Root[] = [];
      model.react(root.state, i, causes.start(false, 0), root.state[model.net]!, 0, (transition) => {
        if (!transition.outcome!.dies) next.push(after(root, transition));
      });
      return next;
    });
  }
  return roots;
}
