/** `caucus once` on three machines: members on hosts of their own, which have nothing but each other and their data folders. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Ground, hostsApart } from '../support/ground.ts';
import { withoutNamespaces } from '../support/namespaces.ts';
import { end, MAIN, start } from './caucus.ts';

const IDS = ['a', 'b', 'c'] as const;
const LONG = { timeout: 120_000 };
const reason = withoutNamespaces();

let folder: string;
let ground: Ground;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-once-hosts-'));
  ground = await hostsApart(IDS.length);
});

afterEach(() => {
  ground.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Starts `caucus once --key KEY -- ./report.sh` on each host. */
function onAll(key: string) {
  const peers = IDS.map((id, i) => `${id}=http://${ground.listens[i]!.host}:${ground.listens[i]!.port}`);
  return IDS.map((id, i) => {
    const { host, port } = ground.listens[i]!;
    const member = ['--id', id, '--listen', `${host}:${port}`, '--peers', peers.join(), '--insecure'];
    const data = ['--data', path.join(folder, id), '--election', 'nightly-report'];
    const args = ['once', '--key', key, ...member, ...data, '--', path.join(folder, 'report.sh')];
    const child = start(args, MAIN, { RAN: path.join(folder, 'ran') }, ground.place(i));
    return { id, child, ended: end(child) };
  });
}

function report(script: string): void {
  const begins = 'echo "$CAUCUS_OCCASION $CAUCUS_ATTEMPT $CAUCUS_MEMBER $CAUCUS_TOKEN" >> "$RAN"';
  writeFileSync(path.join(folder, 'report.sh'), `#!/bin/sh\n${begins}\n${script}\n`, { mode: 0o755 });
}

/** What each run of the script has written: its occasion, its attempt, its member and its token. */
function ran(): readonly (readonly string[])[] {
  const file = path.join(folder, 'ran');
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => line.split(' '));
}

describe.skipIf(reason !== null)(`three hosts${reason === null ? '' : ` (${reason})`}`, () => {
  it('run a command once, and not again', LONG, async () => {
    report('');
    for (const isAgain of [false, true]) {
      const all = await Promise.all(onAll('2026-11-16').map(({ ended }) => ended));
      expect(all.map(({ code }) => code)).toEqual([0, 0, 0]);
      const told = all.filter(({ stderr }) => /2026-11-16 is already done, by [abc] with token/.test(stderr));
      expect(told).toHaveLength(isAgain ? 3 : 2);
      expect(ran()).toEqual([['2026-11-16', '1', expect.stringMatching(/^[abc]$/), expect.any(String)]]);
    }
  });

  it(
    'run it again on another one, with a greater token, if the first is killed in the middle',
    LONG,
    async () => {
      report('[ "$CAUCUS_ATTEMPT" -gt 1 ] || exec sleep 600');
      const all = onAll('2026-11-16');
      await expect.poll(() => ran().length, LONG).toBe(1);
      const killed = ran()[0]![2];
      for (const { id, child } of all) if (id === killed) child.kill('SIGKILL');
      const others = await Promise.all(all.filter(({ id }) => id !== killed).map(({ ended }) => ended));
      expect(others.map(({ code }) => code)).toEqual([0, 0]);
      const [first, second, ...more] = ran();
      expect(more).toEqual([]);
      expect(second!.slice(0, 2)).toEqual(['2026-11-16', '2']);
      expect(second![2]).not.toBe(killed);
      expect(BigInt(second![3]!)).toBeGreaterThan(BigInt(first![3]!));
    },
  );
});
