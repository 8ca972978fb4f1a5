import fs from 'node:fs';
import os from 'node:os';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemBoot } from '../../src/election/boot-clock.ts';

/** The files of this process that are open under this name. */
function openAs(name: string): number[] {
  const link = (fd: string): string => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return ''; // It was open only while the folder was read.
    }
  };
  return fs
    .readdirSync('/proc/self/fd')
    .filter((fd) => link(fd) === name)
    .map(Number);
}

function expectRight(): void {
  // In whole milliseconds: seconds as a fraction are not exact.
  const now = (): number => Math.round(os.uptime() * 1000);
  const before = now();
  const bootMs = systemBoot!();
  expect(bootMs).toBeGreaterThanOrEqual(before);
  expect(bootMs).toBeLessThanOrEqual(now());
}

describe.runIf(process.platform === 'linux')('the time since the start of the machine', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('is that of the system, with one file that stays open', () => {
    expectRight();
    const opening = vi.spyOn(fs, 'openSync');
    for (let looks = 0; looks < 100; looks++) expectRight();
    expect(opening).not.toHaveBeenCalled();
    expect(openAs('/proc/uptime').length).toBe(1);
  });

  it('is still told if the program has closed that file, and another one has its number', () => {
    expectRight();
    const [fd] = openAs('/proc/uptime');
    fs.closeSync(fd!);
    const other = fs.openSync('/proc/self/comm', 'r');
    expect(other).toBe(fd);
    for (let looks = 0; looks < 3; looks++) expectRight();
    fs.closeSync(other);
  });
});
