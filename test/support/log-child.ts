/**
 * Saves records of many elections into the log of a data folder until it is killed: `node log-child.ts FOLDER`. On a line
 * of its own it says which records are durable: `ELECTION TERM`.
 */
import { writeSync } from 'node:fs';
import { openStore } from '../../src/member/data-folder.ts';

const ELECTIONS = 40;

const store = await openStore(process.argv[2]!, 'c', 'a', 'main');
const elections = Array.from({ length: ELECTIONS }, (_, i) => {
  const name = `e${i}`;
  const election = store.election(name, 'quorum');
  const before = election.load(() => null) as { term: number } | null;
  return { name, election, term: before?.term ?? 0 };
});
writeSync(1, 'begins\n');

function saveNext(each: (typeof elections)[number]): void {
  each.term += 1;
  const { name, term } = each;
  each.election.saveSoon!({ term, filler: 'f'.repeat((term * 97) % 3000) }, (failure) => {
    if (failure !== null) throw failure;
    writeSync(1, `${name} ${term}\n`);
    saveNext(each);
  });
}

for (const each of elections) saveNext(each);
