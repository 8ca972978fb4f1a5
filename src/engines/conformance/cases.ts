import { randomBytes } from 'node:crypto';
import type { Case, EngineKit } from './kit.ts';
import type { Requirement } from './requirement.ts';
import { Stage } from './stage.ts';

/** Each requirement as a case of this engine, on a stage of its own. */
export function casesOf(kit: EngineKit, wanted: readonly Requirement[]): Case[] {
  return wanted.map(({ name, needs = [], play }) => ({
    name,
    skip: needs.map((ability) => kit.cannot?.[ability]).find((reason) => reason !== undefined) ?? null,
    async run() {
      const stage = new Stage(kit, `conformance-${randomBytes(6).toString('hex')}`);
      try {
        await play(stage);
      } finally {
        await stage.close();
      }
    },
  }));
}
