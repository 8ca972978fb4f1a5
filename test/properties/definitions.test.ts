/** Every property has one definition, and docs/guarantees.md tells of each what its definition says. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Protocol } from '../../src/core/index.ts';
import {
  appliesTo,
  eventualAgreement,
  isInForce,
  isPromised,
  LIVENESS,
  propertyNamed,
  SAFETY,
} from '../../src/properties/index.ts';
import { epoch } from '../../src/protocols/epoch.ts';

const guarantees = readFileSync(path.resolve(import.meta.dirname, '../../docs/guarantees.md'), 'utf8');

describe('docs/guarantees.md', () => {
  /** Each property has one row, and no row tells of a property that is not defined. */
  const rows = guarantees
    .split('\n')
    .filter((line) => /^\| [SRL]\d+ \|/.test(line))
    .map((line) => line.slice(2, -2).split(' | '));

  it('tells of every property what its definition says', () => {
    const tested = LIVENESS.filter((each) => each !== eventualAgreement); // Told in prose.
    expect(rows).toEqual(
      [...SAFETY, ...tested].map(({ property, says, watched }) => [property, says, watched]),
    );
  });

  it('tells which protocols each safety property applies to', () => {
    const needing = (needs: string): string[] =>
      SAFETY.filter((each) => each.needs === needs).map(({ property }) => property);
    const listed = (names: readonly string[]): string =>
      `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
    expect(guarantees).toContain(
      `${listed(needing('votes'))} apply to protocols that have votes, ${listed(needing('terms'))} to those that have terms`,
    );
  });
});

describe('a property', () => {
  it('is found by its number', () => {
    for (const each of [...SAFETY, ...LIVENESS]) expect(propertyNamed(each.property)).toBe(each);
    expect(propertyNamed('S7')).toBeUndefined();
  });

  it('needs votes to be looked at where it is about votes', () => {
    const timing = { heartbeatMs: 50, timeoutMs: [150, 300] };
    const voting = epoch.create({ timing, options: {} });
    const { vote: _, ...voteless } = voting;
    const names = (protocol: Pick<Protocol, 'vote'>): string[] =>
      SAFETY.filter((each) => appliesTo(each, protocol)).map(({ property }) => property);
    expect(names(voting)).toEqual(['S1', 'S2', 'S3', 'S4', 'S6', 'S9', 'S10', 'R1']);
    expect(names(voteless as Protocol)).toEqual(['S1', 'S3', 'S6', 'S9', 'S10', 'R1']);
  });

  it('is promised as long as no assumption of its pledge is broken', () => {
    const pledge = { property: 'S1', assuming: ['disk', 'clock'] } as const;
    const protocol = { pledges: [pledge] };
    expect(isPromised(protocol, 'S1', new Set())).toBe(true);
    expect(isPromised(protocol, 'S1', new Set(['proof']))).toBe(true);
    expect(isPromised(protocol, 'S1', new Set(['clock']))).toBe(false);
    expect(isPromised(protocol, 'S2', new Set())).toBe(false);
    expect(isInForce(pledge, new Set(['disk']))).toBe(false);
  });
});
