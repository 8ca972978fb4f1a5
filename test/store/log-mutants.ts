/** Bugs planted in the log of many elections, each a small patch over its source, and the rule that catches it. */
import { type Bug, patchesIn } from '../support/plant.ts';
import type { LogRuleName } from './log-rules.ts';

export interface LogMutant extends Bug {
  readonly rule: LogRuleName;
}

function mutant(
  name: string,
  rule: LogRuleName,
  ...patches: readonly (readonly [file: string, from: string, to: string])[]
): LogMutant {
  return { name, rule, patches: patchesIn('store', patches) };
}

export const logMutants: readonly LogMutant[] = [
  mutant(
    'records of a batch are answered before its sync',
    'a record is answered after its sync, never before',
    [
      'group-commit',
      "if (step.do === 'sync') this.#folder.syncSoon(step.file, next);",
      "if (step.do === 'sync') {\n        this.#folder.syncSoon(step.file, () => {});\n        continue;\n      }",
    ],
    ['group-commit', "      else if (step.do === 'sync-folder')", "      if (step.do === 'sync-folder')"],
  ),
  mutant(
    'records that come during a sync are answered with the batch on its way',
    'records that come during a sync wait for the next batch',
    [
      'group-commit',
      '    if (isSyncing) return;\n    this.#flight = null;\n    this.#land(flight.waiting);',
      '    if (isSyncing) return;\n    this.#flight = null;\n    const late = this.#waiting;\n    this.#waiting = [];\n    this.#land([...flight.waiting, ...late]);',
    ],
  ),
  mutant('every record has a batch of its own', 'records that are saved in one turn share one sync', [
    'group-commit',
    '    const waiting = this.#waiting;\n    this.#waiting = [];\n    this.#flight',
    '    const waiting = this.#waiting.splice(0, 1);\n    this.#flight',
  ]),
  mutant(
    'of two records of an election in one batch the earlier one is written',
    'of two records of an election in one batch the later one counts',
    [
      'group-commit',
      'for (const { entry } of waiting) entries.set(entry.election, entry);',
      'for (const { entry } of waiting) if (!entries.has(entry.election)) entries.set(entry.election, entry);',
    ],
  ),
  mutant(
    'a batch that failed is answered as durable',
    'a batch that failed is answered with the error, and the next one loses nothing',
    ['group-commit', '    else this.#fail(flight.waiting, failure);', '    else this.#take(flight, from);'],
  ),
  mutant(
    'a batch is appended behind one that failed',
    'a batch that failed is answered with the error, and the next one loses nothing',
    ['record-log', '    this.#end();\n    this.#free = null;', '    this.#end();'],
  ),
  mutant(
    'a new file holds the records of the last batch alone',
    'a file that is full is made anew with all records',
    ['record-log', 'const kept = new Map(this.#records);', 'const kept = new Map<string, LoggedRecord>();'],
  ),
  mutant('a batch is written over the end of the file', 'a file that is full is made anew with all records', [
    'record-log',
    '    if (free * PAGE > size) return null;\n',
    '',
  ]),
  mutant(
    'a new file has its name before it is durable',
    'a new file is durable before it has its name, and then its name is',
    [
      'record-log',
      "      { do: 'sync', file: 'draft' },\n      { do: 'rename' },\n",
      "      { do: 'rename' },\n      { do: 'sync', file: 'record' },\n",
    ],
  ),
  mutant(
    'the name of a new log is not made durable',
    'a new file is durable before it has its name, and then its name is',
    ['record-log', "      { do: 'rename' },\n      { do: 'sync-folder' },\n", "      { do: 'rename' },\n"],
  ),
  mutant(
    'a start takes a batch without its checksum',
    'a batch that was cut short is dropped, whichever sectors were written',
    [
      'log-batch',
      'if (sha256 !== checksum({ cluster, id }, { batch, size }, bodyBytes, coding)) return null;',
      'void sha256;',
    ],
  ),
  mutant('a start appends to what a cut batch has left', 'what a cut batch has left is never appended to', [
    'log-recovery',
    'free: isClean ? page : null',
    'free: isClean ? page : page',
  ]),
  mutant('a start ignores the seals', 'a changed bit is damage, in whichever batch', [
    'sectors',
    'if (!hasDigits(found, bytes, at + ROOM)) return i;',
    'void [hasDigits, found];',
  ]),
  mutant('a file that was cut off is taken as it is', 'a file that was cut off is damage, wherever', [
    'log-recovery',
    'if (first.size !== bytes.length)',
    'if (first.size < 0)',
  ]),
  mutant('a lost batch is not noticed', 'a batch that was lost before another is damage', [
    'log-recovery',
    "    if (decodeBatch(content, at, coding) !== null)\n      return refuseDamage('a batch that stood before its last one was lost');",
    '    void at;',
  ]),
  mutant('the log of another member is taken', 'the log of another member or cluster is refused', [
    'log-recovery',
    '  if (foreign !== null) return foreign;\n',
    '  void foreign;\n',
  ]),
  mutant(
    'what a start finds in the log is not synced',
    'what a start finds is made durable before it is used',
    ['record-log', "    folder.sync('record');\n    folder.syncFolder();\n", ''],
  ),
  mutant(
    'what a start finds in the log is synced and not written again',
    'what an earlier process was told not to be durable is written again before it is used',
    ['record-log', 'if (from > 0) folder.write', 'if (from > to) folder.write'],
  ),
  mutant(
    'a sync that was overtaken answers once more',
    'a save that cannot wait takes along all that wait, and answers each once',
    ['group-commit', '    if (this.#flight !== flight) return;\n', ''],
  ),
  mutant(
    'the owner of the folder is not looked at before a rename',
    'nothing is written or renamed after the folder has another owner',
    ['group-commit', "if (what === 'write' || what === 'rename')", "if (what === 'write')"],
  ),
];
