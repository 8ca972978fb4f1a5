/**
 * The description passes the linters that people run over OpenAPI documents: Spectral with its ruleset for OpenAPI, Redocly with its
 * recommended rules. Both run as libraries: their commands would report what they do to others.
 */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { describe, expect, it } from 'vitest';
import type { LeasePort } from '../../src/api/leases.ts';
import { describeApi } from '../../src/api/openapi.ts';
import { catalogue } from '../../src/protocols/index.ts';

/** Only that there is one is described. */
const LEASES = {} as LeasePort;

const sources = (
  [
    ['draw', 'none'],
    ['quorum', 'proof', LEASES],
    ['draw', 'certificate'],
  ] as const
).map(([name, voters, leases = null]) => {
  const url = 'http://127.0.0.1:7101';
  const description = describeApi({ url, definition: catalogue[name]!, leases }, undefined, voters);
  return [`${name} (${voters})`, JSON.stringify(description)] as const;
});

describe.each(sources)('the description of a member with %s', (_, source) => {
  it('passes Spectral', async () => {
    const spectral = new spectralCore.Spectral();
    // There is nobody in particular to write to about the API of a program that runs at your place.
    spectral.setRuleset({ extends: [rulesets.oas as RulesetDefinition], rules: { 'info-contact': 'off' } });
    const found = await spectral.run(source);
    expect(found.map(({ code, path, message }) => `${code} ${path.join('.')}: ${message}`)).toEqual([]);
  });

  it('passes Redocly', async () => {
    // /ui does nothing but redirect, so it has no answer of 200.
    const rules = { 'operation-2xx-response': 'off' } as const;
    const config = await createConfig({ extends: ['recommended'], rules });
    const found = await lintFromString({ source, absoluteRef: 'openapi.json', config });
    expect(
      found.map(({ ruleId, location, message }) => `${ruleId} ${location[0]?.pointer}: ${message}`),
    ).toEqual([]);
  });
});
