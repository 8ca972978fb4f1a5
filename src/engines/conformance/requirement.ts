import type { EngineKit } from './kit.ts';
import type { Stage } from './stage.ts';

/** One behaviour that every engine must have, before it is known of which engine. */
export interface Requirement {
  readonly name: string;
  readonly needs?: readonly (keyof NonNullable<EngineKit['cannot']>)[];
  play(stage: Stage): Promise<void>;
}
