import { accessSync, closeSync, constants, openSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { isSystemError, Refusal, systemWords } from '../../input/refusal.ts';

/** Checked before anything runs, since a run may take long. */
export function refuseUnwritable(flag: string, file: string): void {
  if (file === '' || file === '-') {
    throw new Refusal(`${flag}: expected the name of a file, found ${JSON.stringify(file)}`);
  }
  tryTo(flag, file, () => {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw new Refusal(`${flag}: ${file}: expected a file, found a directory`);
    if (found !== undefined) return accessSync(file, constants.W_OK);
    // A folder may be writable for root, and still take no files: /proc.
    closeSync(openSync(file, 'wx'));
    unlinkSync(file);
  });
}

export function writeScenario(flag: string, file: string, scenario: object): void {
  tryTo(flag, file, () => writeFileSync(file, `${JSON.stringify(scenario, null, 2)}\n`));
}

function tryTo(flag: string, file: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (isSystemError(error)) throw new Refusal(`${flag}: ${file}: ${systemWords(error)}`);
    throw error;
  }
}
