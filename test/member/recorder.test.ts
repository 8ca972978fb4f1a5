import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Effect,
  type Input,
  type TraceHeader,
  type TraceStep,
  transition,
} from '../../src/core/index.ts';
import { join } from '../../src/member/index.ts';
import { Recorder } from '../../src/member/recorder.ts';
import { catalogue } from '../../src/protocols/index.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-record-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function readLines(file: string): Record<string, unknown>[] {
  const text = readFileSync(file, 'utf8').trimEnd();
  return text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('a recording', () => {
  it('of a real member replays step by step in its protocol', async () => {
    const member = await join({ id: 'a', record: folder });
    const { election } = { election: member.election() };
    const leadership = await election.campaign();
    await leadership.publish({ x: 1 });
    await leadership.resign();
    await member.close();

    const [header, ...steps] = readLines(path.join(folder, 'a~main.ndjson')) as unknown as [
      TraceHeader,
      ...TraceStep[],
    ];
    expect(header).toMatchObject({ trace: 'caucus/1', protocol: 'quorum', members: ['a'], seed: null });
    expect(steps.length).toBeGreaterThan(5);
    const { timing, options } = header as unknown as Record<'timing' | 'options', never>;
    const protocol = catalogue.quorum!.create({ timing, options });
    let state = protocol.init({ id: 'a', members: header.members, settings: { priority: 0 } });
    for (const { input, effects, member: who } of steps) {
      expect(who).toBe('a');
      const next = transition(protocol, state, input);
      expect(JSON.parse(JSON.stringify(next.effects))).toEqual(effects);
      state = next.state;
    }
    expect(steps.map(({ atMs }) => atMs)).toEqual([...steps.map(({ atMs }) => atMs)].sort((a, b) => a - b));
  });

  const header: TraceHeader = {
    trace: 'caucus/1',
    protocol: 'p',
    members: ['a'],
    timing: {},
    options: {},
    seed: null,
  };
  const input: Input = { type: 'timer', timer: 't' };
  const effects: Effect[] = [{ type: 'cancel-timer', timer: 'x'.repeat(200) }];

  it('is bounded: when it is full it begins anew, and the one before is kept', async () => {
    const recorder = new Recorder(folder, 'r', 'a', header, 10_000, (reason) => expect.unreachable(reason));
    for (let i = 0; i < 500; i++) recorder.step(i, input, effects);
    await recorder.close();
    const [now, before] = [path.join(folder, 'r.ndjson'), path.join(folder, 'r~1.ndjson')];
    expect(statSync(now).size).toBeLessThan(11_000);
    await expect.poll(() => statSync(before).size).toBeGreaterThan(10_000);
    expect(statSync(before).size).toBeLessThan(11_000);
    const [old, current] = [readLines(before), readLines(now)];
    expect(old[0]).toEqual(header);
    expect(current[0]).toEqual(header);
    expect(current.at(-1)).toMatchObject({ atMs: 499, member: 'a' });
    expect((old.at(-1)!.atMs as number) + 1).toBe(current[1]!.atMs);
  });

  it('that cannot be written ends with a word, and the member goes on', async () => {
    const reasons: string[] = [];
    const recorder = new Recorder(folder, 'no/such/folder', 'a', header, 10_000, (reason) =>
      reasons.push(reason),
    );
    recorder.step(1, input, effects);
    await expect.poll(() => reasons).toHaveLength(1);
    expect(reasons[0]).toMatch(/recording has ended: ENOENT/);
    recorder.step(2, input, effects);
    await recorder.close();
    expect(existsSync(path.join(folder, 'no'))).toBe(false);
  });
});
