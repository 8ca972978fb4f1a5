import { describe, expect, it } from 'vitest';
import { fieldsOf } from '../../src/cli/commands/protocols/protocols.ts';
import { natural, nullable, optional, record } from '../../src/core/index.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { caucus } from './caucus.ts';

describe('the fields of a message', () => {
  it('are listed with what is expected, those inside others by their path', () => {
    const age = record({ term: natural });
    const shape = record({ term: natural, age, release: nullable(age), note: optional(natural) });
    expect(fieldsOf(shape)).toEqual([
      ['term', natural.expected],
      ['age.term', natural.expected],
      ['release', 'an object, or null'],
      ['release.term', natural.expected],
      ['note', `${natural.expected} (may be left out)`],
    ]);
  });
});

describe.concurrent('caucus protocols', () => {
  it('says what the options add', async () => {
    for (const name of ['bully', 'draw']) {
      const one = JSON.parse((await caucus(['protocols', name, '--json'])).stdout);
      expect(one.promises).toEqual([]);
      expect(one.promisesWith.quorum).toContainEqual({ property: 'S4', assuming: ['disk', 'no-forgery'] });
      const { stdout } = await caucus(['protocols', name]);
      expect(stdout).toContain('  with quorum: S1 S2 S3 S4 S9 (assuming disk, no-forgery)\n');
    }
    expect(JSON.parse((await caucus(['protocols', 'epoch', '--json'])).stdout).promisesWith).toEqual({});
  });

  it('says what the times are that follow from others', async () => {
    const { stdout } = await caucus(['protocols', 'quorum']);
    expect(stdout).not.toContain('default null');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('lan: heartbeatMs 50, timeoutMs [150,300], ');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('With timeoutMs alone, heartbeatMs and leaseMs grow');
  });

  it('says what a message has to hold', async () => {
    const { messages } = JSON.parse((await caucus(['protocols', 'epoch', '--json'])).stdout);
    expect(messages.vote).toEqual({ epoch: 'a whole number from 0 to 9007199254740991' });
    const { stdout } = await caucus(['protocols', 'epoch']);
    expect(stdout).toContain('  keep-alive, vote-request, vote\n    epoch: a whole number\n');
  });

  it('fits a terminal, and uses the word seed for --seed alone', async () => {
    for (const name of Object.keys(catalogue)) {
      const { stdout } = await caucus(['protocols', name]);
      for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
      expect(stdout).not.toMatch(/\bseed/);
    }
    expect((await caucus(['protocols'])).stdout).not.toMatch(/\bseed/);
  });
});
