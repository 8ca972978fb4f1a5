import { BadInput, show } from '../../core/index.ts';

/** The table of an engine, as SQL spells it. */
export interface Table {
  /** For people: "public.caucus_lease". */
  readonly shown: string;
  readonly schema: string;
  /** The table and the sequence of its tokens, with their schema, quoted. */
  readonly name: string;
  readonly sequence: string;
  /** Lets a transaction lock the token: see `prepare`. */
  readonly index: string;
  /** The channel of the notifications. */
  readonly channel: string;
}

export function tableOf(schema: unknown = 'public', table: unknown = 'caucus_lease'): Table {
  const [inSchema, name] = [identifier('schema', schema), identifier('table', table)];
  return {
    shown: `${inSchema}.${name}`,
    schema: `"${inSchema}"`,
    name: `"${inSchema}"."${name}"`,
    sequence: `"${inSchema}"."${name}_fence"`,
    index: `"${name}_name_fence"`,
    channel: `"${name}"`,
  };
}

/** Names that need no escaping anywhere. PostgreSQL truncates names at 63 bytes, and some of ours have a suffix. */
function identifier(option: string, given: unknown): string {
  if (typeof given === 'string' && /^[A-Za-z_][A-Za-z0-9_]{0,47}$/.test(given)) return given;
  throw new BadInput(
    option,
    '1 to 48 letters, digits and underscores, of which the first is no digit',
    show(given),
  );
}

/** Checks that a text column, its index and the payload of a notification can hold the name. */
export function checkName(election: string): void {
  const isFit = typeof election === 'string' && !/[\p{Cc}\p{Cs}]/u.test(election);
  if (isFit && election !== '' && Buffer.byteLength(election) <= 1000) return;
  throw new BadInput('election', 'a name of 1 to 1000 bytes without control characters', show(election));
}
