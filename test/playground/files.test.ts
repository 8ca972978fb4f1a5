import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { frameAt } from '../../playground/src/game/history/frame.ts';
import { newRun } from '../../playground/src/game/run/presets.ts';
import { type Run, readRun } from '../../playground/src/game/run/run.ts';
import { Timeline } from '../../playground/src/game/run/timeline.ts';
import { breakOf } from '../../playground/src/pages/files/breaks.ts';
import { openFiles, type Source } from '../../playground/src/pages/files/open-file.ts';
import { spaceTimeSvg, stageSvg } from '../../playground/src/pages/files/pictures.ts';
import { scenarioText, traceText } from '../../playground/src/pages/files/save.ts';
import { type Recording, readTraces } from '../../playground/src/pages/files/trace-reader.ts';
import { STORIES } from '../../playground/src/pages/gallery/scenarios.ts';
import { runOf } from '../../playground/src/pages/gallery/story.ts';
import { encodeTraceLine, type TraceStep } from '../../src/core/index.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { readScenario, simulate } from '../../src/simulation/index.ts';

function played(run: Run): Timeline {
  const timeline = new Timeline(run);
  timeline.extendTo(run.untilMs);
  return timeline;
}

function traceOf(run: Run): string {
  let text = '';
  simulate(readScenario(run, catalogue), run.seed, { trace: (line) => (text += encodeTraceLine(line)) });
  return text;
}

function read(...texts: string[]): Recording {
  const work = readTraces(texts.map((text, i) => ({ name: `${i + 1}.ndjson`, text })));
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

function source(text: string, name = 'a.json'): Source {
  return { name, size: text.length, text: () => Promise.resolve(text) };
}

const CRASH: Run = {
  ...newRun('epoch', 5, 7),
  untilMs: 20_000,
  events: [
    { atMs: 8000, do: 'crash', member: 'leader' },
    { atMs: 12_000, do: 'cut', from: 2, to: 3 },
  ],
};

describe('a trace', () => {
  for (const protocol of Object.keys(catalogue)) {
    it(`of ${protocol} shows what the run showed`, () => {
      const run = runOf(STORIES.find(({ name }) => name === 'isolate-leader')!, protocol);
      const { history } = played(run);
      const { timeline, problems } = read(traceOf(run));
      expect(problems).toEqual([]);
      expect(timeline.history.entries.length).toBe(history.entries.length);
      for (let ms = 500; ms < 60_000; ms += 500) {
        const shown = frameAt(timeline.history, ms);
        const wanted = frameAt(history, ms);
        // A save holds a report up for a moment, which a trace does not tell.
        const near = frameAt(history, ms + 1.5);
        const views = [wanted, near].map(({ members }) =>
          members.map(({ alive, role, leader, term }) => ({ alive, role, leader, term })),
        );
        expect(views).toContainEqual(
          shown.members.map(({ alive, role, leader, term }) => ({ alive, role, leader, term })),
        );
        expect(shown.blocked).toEqual(wanted.blocked);
      }
      const ways = ({ flights }: typeof history) =>
        flights.all
          .filter(({ arrivedAs, sentBy }) => arrivedAs >= 0 && sentBy >= 0)
          .map(({ from, to, message, sentBy, arrivedAs }) => ({
            from,
            to,
            type: message.type,
            sentBy,
            arrivedAs,
          }))
          .sort((a, b) => a.arrivedAs - b.arrivedAs);
      const shown = ways(timeline.history);
      const wanted = ways(history);
      expect(shown).toHaveLength(wanted.length);
      // Messages that say the same may overtake each other unseen.
      const same = shown.filter((way, at) => way.sentBy === wanted[at]!.sentBy).length;
      expect(same / wanted.length).toBeGreaterThan(0.97);
      expect(timeline.history.claims.map(({ member, term }) => ({ member, term }))).toEqual(
        history.claims.map(({ member, term }) => ({ member, term })),
      );
      const brokenIn = (properties: readonly { property: string }[]) =>
        new Set(properties.map(({ property }) => property).filter((name) => name === 'S10' || name === 'S1'));
      expect(brokenIn(timeline.history.violations)).toEqual(brokenIn(history.violations));
    });
  }

  it('is written as the command writes it', () => {
    expect(traceText(played(CRASH), false)).toBe(traceOf(CRASH));
  });

  it('goes no further than it goes', () => {
    const { timeline } = read(traceOf(CRASH));
    const { headMs } = timeline;
    expect(headMs).toBeGreaterThan(19_000);
    expect(timeline.extendTo(headMs + 1)).toBe(false);
    expect(timeline.next()).toBe(false);
    expect(timeline.act()).toBe(headMs);
    expect(timeline.events).toEqual([]);
  });

  it('is shown up to the line that is broken, which is named', () => {
    const lines = traceOf(CRASH).split('\n');
    const broken = (line: string) => read([...lines.slice(0, 40), line, ...lines.slice(41)].join('\n'));
    for (const [line, why] of [
      ['{"atMs":1,', 'the document: expected a line of JSON'],
      ['{"atMs":-1,"event":{"do":"heal"}}', 'atMs: expected a time in milliseconds, found -1'],
      ['{"atMs":9,"member":1,"input":{"type":"nap"},"effects":[]}', 'input.type: expected one of start'],
      [
        '{"atMs":9,"member":1,"input":{"type":"timer","timer":"x"},"effects":[{"type":"fly"}]}',
        'effects[0].type',
      ],
      ['{"atMs":9,"member":{},"input":{"type":"timer","timer":"x"},"effects":[]}', 'member: expected'],
      ['{"atMs":9,"member":1,"input":{"type":"command","id":1},"effects":[]}', 'input.command: expected'],
      ['{"atMs":9,"event":{"do":"partition","groups":"all"}}', 'event.groups: expected a list'],
      [
        '{"atMs":9,"member":1,"input":{"type":"timer","timer":"x"},"effects":[{"type":"report","view":{"role":"none","leader":null,"term":null,"lease":7}}]}',
        'effects[0].view.lease: expected a name',
      ],
    ] as const) {
      const { timeline, problems } = broken(line);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain(`Line 41 cannot be read: ${why}`);
      expect(timeline.history.entries).toHaveLength(39);
    }
  });

  it('ends a day after its beginning', () => {
    const lines = traceOf(CRASH).split('\n').slice(0, 40);
    const { timeline, problems } = read([...lines, '{"atMs":1.7e12,"event":{"do":"heal"}}', ''].join('\n'));
    expect(problems).toEqual([
      'What happened at 1700000000000 ms, more than a day after the beginning, is not shown, nor what followed.',
    ]);
    expect(timeline.history.entries).toHaveLength(39);
  });

  it('of another version, or of nothing we know, is refused in words', () => {
    expect(() => read('{"trace":"caucus/2"}')).toThrow(
      'Line 1 cannot be read: trace: expected "caucus/1": this page does not know other versions, found "caucus/2"',
    );
    expect(() => read('{"trace":"caucus/1","protocol":"paxos","members":[1]}')).toThrow(
      /protocol: expected one of/,
    );
    expect(() => read('{"trace":"caucus/1","protocol":"epoch","members":200}')).toThrow(/at most 100/);
  });

  it('whose events make no sense is shown up to there', () => {
    const [head] = traceOf(CRASH).split('\n');
    const { problems, timeline } = read(
      `${head}\n{"atMs":5,"event":{"do":"heal"}}\n{"atMs":7,"event":{"do":"crash","member":77}}\n`,
    );
    expect(problems).toEqual([
      'What happened at 7 ms contradicts earlier lines. What comes before it is shown.',
    ]);
    expect(timeline.headMs).toBe(5);
  });

  it('of each of several members can be laid side by side, as real members record them', () => {
    const [head, ...lines] = traceOf(CRASH).trim().split('\n');
    const since1970 = 1_700_000_000_000;
    const files = [1, 2, 3, 4, 5].map((id) => {
      const own = lines.filter((line) => (JSON.parse(line) as TraceStep).member === id);
      // One clock is late by more than most messages take, and fields stand in another order where they were read.
      const lateMs = id === 3 ? 300 : 0;
      const moved = own.map((line) => {
        const step = JSON.parse(line) as TraceStep;
        const { input } = step;
        const read =
          input.type !== 'message'
            ? input
            : { ...input, message: Object.fromEntries(Object.entries(input.message).reverse()) };
        return JSON.stringify({ ...step, input: read, atMs: since1970 + 1000 + step.atMs - lateMs });
      });
      return [JSON.stringify({ ...JSON.parse(head!), seed: null }), ...moved].join('\n');
    });
    const { timeline, problems } = read(...files);
    expect(problems).toEqual([]);
    expect(timeline.history.entriesMs[0]).toBe(0);
    expect(timeline.headMs).toBeLessThan(20_000);
    const arrived = timeline.history.flights.all.filter(({ arrivedAs }) => arrivedAs >= 0);
    const taken = timeline.history.entries.filter(
      (each) => each.kind === 'step' && each.input.type === 'message',
    );
    expect(taken.length).toBeGreaterThan(50);
    expect(arrived.length).toBe(taken.length);
    for (const { sentBy, arrivedAs } of arrived) expect(sentBy).toBeLessThan(arrivedAs);
    const { entriesMs } = timeline.history;
    expect(entriesMs).toEqual([...entriesMs].sort((x, y) => x - y));
    expect(timeline.history.flights.all.some(({ fate }) => fate === 'unknown')).toBe(true);
    expect(() => read(files[0]!, traceOf({ ...CRASH, protocol: 'quorum', timing: {} }))).toThrow(
      /a trace of epoch/,
    );
  });
});

describe('a file', () => {
  it('that is a scenario opens as one, also each counterexample', async () => {
    const opened = await openFiles([source(scenarioText(CRASH))]);
    expect(opened).toMatchObject({ kind: 'run', run: readRun(CRASH) });
    const folders = ['docs/counterexamples', 'examples'].flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.json'))
        .map((name) => `${folder}/${name}`),
    );
    expect(folders.length).toBeGreaterThan(40);
    for (const name of folders) {
      await expect(openFiles([source(readFileSync(name, 'utf8'), name)])).resolves.toMatchObject({
        kind: 'run',
      });
    }
  });

  it('that is a counterexample is known by what it breaks, and when', async () => {
    const wordsOf = async (name: string): Promise<string | undefined> => {
      const opened = await openFiles([source(readFileSync(`docs/counterexamples/${name}`, 'utf8'))]);
      if (opened.kind !== 'run') throw new Error(name);
      return breakOf(played(opened.run).history.violations, opened.run.protocol)?.words;
    };
    expect(await wordsOf('epoch-disk-S1.json')).toBe(
      'breaks S1, “one winner per epoch”, at 8.0 ms; also S3, S2, S9, S10 and S6',
    );
    for (const name of readdirSync('docs/counterexamples').filter((each) => /-[SR]\d+/.test(each))) {
      const words = await wordsOf(name);
      for (const property of name.match(/(?<=-)[SR]\d+/g)!)
        expect(words).toMatch(new RegExp(`${property}\\b`));
    }
    expect(await wordsOf('chang-roberts-link-L4.json')).toBeUndefined();
  });

  it('that is a trace opens to be watched', async () => {
    const opened = await openFiles([source(traceOf(CRASH), 'run.ndjson')]);
    expect(opened).toMatchObject({ kind: 'recording', name: 'run.ndjson', problems: [] });
  });

  it('that is too large is not even read', async () => {
    const huge: Source = {
      name: 'big.ndjson',
      size: 50_000_000,
      text: () => Promise.reject(new Error('was read')),
    };
    await expect(openFiles([huge])).rejects.toThrow(
      'big.ndjson has 50 MB, and a page takes no more than 20 MB',
    );
  });

  it('that is neither says so', async () => {
    await expect(openFiles([source('GIF89a')])).rejects.toThrow(/neither a scenario .* nor a trace/);
    await expect(openFiles([source('{"members":5000}')])).rejects.toThrow(
      /not a scenario that can be played here/,
    );
    await expect(openFiles([source('{"members":500}')])).rejects.toThrow(
      /at most 100 in the playground.*caucus simulate FILE/,
    );
    await expect(openFiles([])).rejects.toThrow('That contains no file.');
    await expect(openFiles([source('{}'), source('{}')])).rejects.toThrow(/recordings of one cluster/);
  });
});

describe('a picture', () => {
  const { history } = played(CRASH);

  it('of the stage is a whole document that shows everybody', () => {
    const svg = stageSvg(history, 'epoch', 9000);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg".*<\/svg>\n$/s);
    expect(svg).toContain('✕');
    for (const id of history.members) expect(svg).toMatch(new RegExp(`>[^<]*${id}</text>`));
    expect(svg).not.toMatch(/NaN|undefined|href|<script/);
  });

  it('of the diagram has an arrow for each message', () => {
    const svg = spaceTimeSvg(history, 'epoch', 0, 10_000);
    expect(svg.match(/<line /g)!.length).toBe(5 + history.flights.between(0, 10_000).length);
    expect(svg).toContain('♛ 1');
    expect(svg).toContain('crash');
    expect(svg).not.toMatch(/NaN|undefined/);
  });

  it('takes no markup from a name', () => {
    const run = { ...newRun('epoch', 3, 1), members: ['a:b', 'c.d', 'e'], untilMs: 3000 };
    expect(stageSvg(played(run).history, '<b>"&', 2000)).toContain('&lt;b&gt;&quot;&amp;');
  });
});
