/**
 * Recovers a data folder and kills itself, with SIGKILL, before its nth change of the disk: `node recover-child.ts FOLDER N`. A
 * file is then half written. Ends with 0 if there are fewer changes.
 */
import { writeFileSync } from 'node:fs';
import { openRecovery } from '../../src/member/recover-folder.ts';
import { type JournalFiles, realFiles } from '../../src/member/recovery-journal.ts';
import { catalogue } from '../../src/protocols/index.ts';

const [folder, last] = [process.argv[2]!, Number(process.argv[3])];
let count = 0;

function counted<Args extends readonly unknown[]>(
  change: (...args: Args) => void,
  half: (...args: Args) => void = () => {},
): (...args: Args) => void {
  return (...args) => {
    if (++count < last) return change(...args);
    half(...args);
    process.kill(process.pid, 'SIGKILL');
    for (;;);
  };
}

const files: JournalFiles = {
  makeFolder: counted(realFiles.makeFolder),
  write: counted(realFiles.write, (file, bytes) =>
    writeFileSync(file, bytes.subarray(0, Math.floor(bytes.length / 2))),
  ),
  rename: counted(realFiles.rename),
  sync: counted(realFiles.sync),
  removeEmpty: counted(realFiles.removeEmpty),
};

const definitions = Object.values(catalogue);
const opened = await openRecovery({
  data: folder,
  cluster: 'shop',
  id: 'a',
  definitions,
  by: 'test',
  nowMs: Date.now(),
});
if (opened !== 'completed') {
  opened.carryOut(files);
  opened.release();
}
