/** docs/verification.md is written by `npm run verify`. That takes long; this looks at what can be looked at quickly. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { explore } from '../src/exploration/index.ts';
import { deputySection, killerWords } from '../verify/mutants-document.ts';
import { protocolOf, subjectNamed } from '../verify/subjects.ts';
import { claimsOf, isAsNamed, verdictOn } from '../verify/verdict.ts';
import { mutants as hostMutants } from './host/mutants.ts';
import { mutants as peerMutants } from './peers/mutants.ts';
import { deputySeeds, unseen } from './quorum/deputy-seeds.ts';
import { mutants as quorumMutants } from './quorum/mutants.ts';
import { logMutants } from './store/log-mutants.ts';
import { mutants as storeMutants } from './store/mutants.ts';
import { mutants as supportMutants } from './supporting/mutants.ts';

const docs = path.resolve(import.meta.dirname, '../docs');
const folder = path.join(docs, 'counterexamples');
const files = readdirSync(folder);
const page = readFileSync(path.join(docs, 'verification.md'), 'utf8');

describe('the counterexamples', () => {
  it.each(files)('%s breaks what it says', (file) => {
    const claims = claimsOf(file);
    expect(claims).not.toEqual([]);
    const scenario = JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
    expect(isAsNamed(file, scenario), 'another election').toBe(true);
    const { broken, result } = verdictOn(scenario);
    expect([...broken]).toEqual(expect.arrayContaining(claims));
    expect(result.violations.filter(({ claimed }) => claimed)).toEqual([]);
  });

  it('are those that the page tells to replay, and no others', () => {
    const told = [...page.matchAll(/npx caucus simulate docs\/counterexamples\/(\S+)/g)].map(
      (match) => match[1]!,
    );
    expect(told.length).toBeGreaterThan(20);
    expect(told.toSorted()).toEqual(files.toSorted());
  });

  it('are where the cells of the tables lead', () => {
    const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map((match) => match[1]!);
    const headings = [...page.matchAll(/^#+ (.+)$/gm)].map((match) => match[1]!.toLowerCase());
    expect(links.length).toBeGreaterThan(20);
    for (const link of links) expect(headings).toContain(link);
  });
});

describe('the README', () => {
  it('names as many states of quorum as the page', () => {
    const readme = readFileSync(path.resolve(docs, '../README.md'), 'utf8');
    const states = /caucus check quorum .*nothing, in ([\d,]+) states/.exec(readme)![1]!;
    expect(page).toMatch(new RegExp(`\\b${states}( states)?, all`));
  });
});

describe('the page', () => {
  /** The cells of one row of the table of an election. */
  function cells(election: string, trouble: string): Record<string, string> {
    const section = page.split('\n## ').find((part) => part.startsWith(`${election}\n`))!;
    const rows = section.split('\n').filter((line) => line.startsWith('| '));
    const read = (line: string): string[] =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
    const row = rows.map(read).find(([name]) => name === trouble)!;
    return Object.fromEntries(read(rows[0]!).map((column, i) => [column, row[i]!]));
  }

  it('has no broken promise', () => {
    expect(page).not.toContain('BROKEN PROMISE');
    expect(page).toContain('none failed');
  });

  it('shows two leaders at once for the classics when the network is split', () => {
    for (const classic of ['ring', 'chang-roberts', 'bully', 'draw', 'epoch']) {
      expect(cells(classic, 'partitions').S10, classic).toMatch(/^\[broken\]/);
    }
  });

  it('shows two winners of one epoch, two leaders by one broken link, and what the cure of bully does for flapping', () => {
    expect(cells('epoch', 'one lost disk, with partitions').S1).toMatch(/^\[broken\]/);
    expect(cells('epoch', 'one broken link, both ways or one').S10).toMatch(/^\[broken\]/);
    const returns = 'the preferred id, or else the leader, dies and returns, again and again';
    expect(cells('bully', returns).L4).toMatch(/^\[broken\]/);
    expect(cells('bully, `quorum: true`', returns).L4).toBe('holds');
  });

  it('shows nothing broken for quorum within its assumptions, and what falls outside of them', () => {
    const within = ['messages lost, doubled, reordered, late', 'crashes and restarts', 'partitions'];
    const more = [
      'one broken link, both ways or one',
      'processes that stop and go on',
      'clocks off by 1 %, with partitions',
    ];
    for (const trouble of [...within, ...more]) {
      expect(
        Object.values(cells('quorum', trouble)).filter((cell) => cell.includes('broken]')),
        trouble,
      ).toEqual([]);
    }
    expect(cells('quorum', 'false evidence that the leader is gone').S10).toBe('holds');
    expect(cells('quorum', 'false proof that the leader is gone').S10).toMatch(/^\[broken\]/);
    expect(cells('quorum', 'clocks at half and double speed, with partitions').S10).toMatch(/^\[broken\]/);
    expect(cells('quorum', 'two lost disks, with partitions').S1).toMatch(/^\[broken\]/);
    expect(cells('quorum', 'one lost disk, with partitions')).toMatchObject({
      S1: 'holds',
      S10: 'holds',
      R1: 'holds',
    });
  });
});

describe('quorum, three members, every order of events', () => {
  it('one term, no crash', () => {
    const members = [1, 2, 3].map((id) => ({ id, settings: { priority: 1 } }));
    const protocol = protocolOf(subjectNamed('quorum'));
    const found = explore({ protocol, members, bounds: { terms: 1, crashes: 0 }, samples: 50 });
    expect(found).toMatchObject({ states: 14_946, complete: true, violations: [] });
  });
});

describe('the page of planted bugs', () => {
  const sections = readFileSync(path.join(docs, 'mutants.md'), 'utf8').split(/^#+ /m);

  /** The rows of the first table under a heading. */
  function rowsUnder(heading: string): readonly (readonly string[])[] {
    const section = sections.find((part) => part.startsWith(`${heading}\n`))!;
    const rows = section.split('\n').filter((line) => line.startsWith('| '));
    return rows.slice(1).map((row) => row.slice('| '.length).split(' | '));
  }

  it.each([
    ['Planted bugs', quorumMutants],
    ['Who is behind a connection', peerMutants],
    ['Bugs planted in the store', storeMutants],
    ['Bugs planted in the log', logMutants],
    ['Bugs planted in the host', hostMutants],
    ['Bugs planted in support', supportMutants],
  ] as const)('lists under "%s" every bug, each with what caught it, and no other', (heading, mutants) => {
    const rows = rowsUnder(heading);
    expect(rows.map(([name]) => name)).toEqual(mutants.map(({ name }) => name));
    expect(rows.filter(([, by]) => !/^(swarm, seed \d|directed run|rule|explorer)/.test(by!))).toEqual([]);
    const count = `\n${mutants.length} of ${mutants.length} caught.`;
    expect(sections.find((part) => part.startsWith(`${heading}\n`))).toContain(count);
  });

  it('says of deputies what their storms catch, and why the rest is not seen', () => {
    const page = readFileSync(path.join(docs, 'mutants.md'), 'utf8');
    expect(page).toContain(deputySection(deputySeeds, unseen));
  });

  it.each([
    ['Planted bugs', quorumMutants],
    ['Who is behind a connection', peerMutants],
    ['Bugs planted in the store', storeMutants],
    ['Bugs planted in the host', hostMutants],
    ['Bugs planted in support', supportMutants],
  ] as const)('names under "%s" what the tests let each bug run into', (heading, mutants) => {
    const told = rowsUnder(heading).map((cells) => cells.at(-1)!.replace(/ \|$/, ''));
    expect(told).toEqual(mutants.map(({ killer }) => killerWords(killer)));
  });
});
