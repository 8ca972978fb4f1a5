import { BadInput } from '../../../core/index.ts';
import { Refusal } from '../refusal.ts';
import type { MemberConfig } from './member-config.ts';

/** The options of `join`, and the settings of the command that they are made of. */
const FIELD_OF: Readonly<Record<string, string>> = {
  seed: 'seedHost',
  'seed.host': 'seedHost',
  'seed.url': 'url',
  url: 'url',
  balance: 'balance',
  deputies: 'deputies',
  trustWitnesses: 'trustWitnesses',
};

/** Runs this; an option that is refused is named by the flag, the variable or the line that gave it. */
export async function namedByOrigin<T>(
  { origins }: Pick<MemberConfig, 'origins'>,
  run: () => T | Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    const { path, expected, found } = error;
    const field = FIELD_OF[path];
    const origin = origins.find((each) => each.field === field);
    if (origin === undefined) throw error;
    const { from, name } = origin;
    const where = name === undefined ? from : `${from}: ${name}`;
    throw new Refusal(`${where}: expected ${expected}, found ${found}`);
  }
}
