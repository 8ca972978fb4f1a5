/**
 * Bugs planted in the store, each a small patch over its source. Most fall to the swarm: a start that finds an older record, or is
 * refused a disk that is not damaged, breaks D1. What only other files than those of one member could show falls to a rule.
 */
import { type Bug, patchesIn } from '../support/plant.ts';
import type { RuleName } from './rules.ts';

/** What is known to catch a bug: a seed of the swarm with `quorum`, or a rule. */
type Killer = { readonly seed: number } | { readonly rule: RuleName };

export interface Mutant extends Bug {
  readonly killer: Killer;
}

function mutant(
  name: string,
  killer: Killer,
  ...patches: readonly (readonly [file: string, from: string, to: string])[]
): Mutant {
  return { name, killer, patches: patchesIn('store', patches) };
}

export const mutants: readonly Mutant[] = [
  mutant('the older copy is preferred', { seed: 1 }, [
    'recovery',
    'each.sequence > newest.sequence ? each : newest',
    'each.sequence < newest.sequence ? each : newest',
  ]),
  mutant('the checksum of a copy is ignored, so that one that was cut short is taken', { seed: 183 }, [
    'record-copy',
    "if (sha256 !== checksum(format, owner, sequence, body, coding))\n    return 'its checksum does not fit what it holds';",
    'void sha256;',
  ]),
  mutant('the seals of the sectors are ignored', { seed: 79 }, [
    'sectors',
    'if (!hasDigits(found, bytes, at + ROOM)) return i;',
    'void [hasDigits, found];',
  ]),
  mutant(
    'a copy that was damaged is passed over for the other',
    { seed: 79 },
    ['recovery', "if (typeof content === 'number')", "if (typeof content === 'number' && which < 0)"],
    [
      'recovery',
      'copies.push(decodeCopy(content, coding));',
      "copies.push(typeof content === 'number' ? 'damaged' : decodeCopy(content, coding));",
    ],
  ),
  mutant('a record is told to be durable before it is synced', { seed: 31 }, [
    'record-store',
    "    { do: 'sync', file: 'record' },\n",
    '',
  ]),
  mutant('a new file takes its name before it is synced', { seed: 4 }, [
    'record-store',
    "    { do: 'sync', file: 'draft' },\n",
    '',
  ]),
  mutant('the name of a new file is not made durable', { seed: 4 }, [
    'record-store',
    "    { do: 'rename' },\n    { do: 'sync-folder' },\n",
    "    { do: 'rename' },\n",
  ]),
  mutant('both copies are written before either is synced', { seed: 128 }, [
    'record-store',
    "    { do: 'write', file: 'record', bytes: seal(content, at / SECTOR), at },\n",
    "    { do: 'write', file: 'record', bytes: seal(content, at / SECTOR), at },\n" +
      "    { do: 'write', file: 'record', bytes: seal(content, (PAGE - at) / SECTOR), at: PAGE - at },\n",
  ]),
  mutant('the same copy is overwritten every time', { seed: 1 }, [
    'record-store',
    'const at = slotOf(sequence) * PAGE;',
    'const at = slotOf(sequence - sequence) * PAGE;',
  ]),
  mutant('the newest copy is overwritten after a start', { seed: 2 }, [
    'record-store',
    'this.#sequence = recovery.sequence;',
    'this.#sequence = recovery.sequence + 1;',
  ]),
  mutant('records are counted from 1 again after a start', { seed: 2 }, [
    'record-store',
    'this.#sequence = recovery.sequence;',
    '',
  ]),
  mutant('what a start finds is not synced', { seed: 66 }, [
    'record-store',
    "    folder.sync('record');\n    folder.syncFolder();\n",
    '',
  ]),
  mutant(
    'what a start finds is synced and not written again',
    { rule: 'what an earlier process was told not to be durable is written again before it is used' },
    [
      'record-store',
      "      folder.write('record', bytes!.subarray(at, at + PAGE), at);\n",
      '      void at;\n',
    ],
  ),
  mutant('the record of another member is taken', { rule: 'a record of another is refused' }, [
    'recovery',
    'if (named[field] === owner[field]) continue;',
    'if (owner[field] !== undefined) continue;',
  ]),
  mutant('the version is ignored', { rule: 'another version is called so' }, [
    'recovery',
    'if (format !== null && isCertain && !READABLE.includes(format)) return refuseVersion(format, READABLE);',
    'void [isCertain, refuseVersion];',
  ]),
  mutant('a lost write is not noticed', { rule: 'a gap between the copies is refused' }, [
    'recovery',
    "if (other.sequence !== newest.sequence - 1) return 'its two copies do not follow each other';",
    '',
  ]),
  mutant(
    'a large record with a damaged copy is taken',
    { rule: 'both copies of a large record must be whole' },
    [
      'recovery',
      "if (whole.length < 2 && !hasPages) return refuseDamage('one of its two copies is not whole');",
      '',
    ],
  ),
];
