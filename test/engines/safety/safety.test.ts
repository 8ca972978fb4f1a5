import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasEtcd } from '../../support/servers/etcd.ts';
import { hasKubernetes } from '../../support/servers/kubernetes.ts';
import { hasNats } from '../../support/servers/nats.ts';
import { hasPostgres } from '../../support/servers/postgres.ts';
import { hasRedis } from '../../support/servers/redis.ts';
import type { Site } from './site.ts';
import { sites } from './sites.ts';
import { faults, tryFault } from './trials.ts';

const isThere: Readonly<Record<string, boolean>> = {
  etcd: hasEtcd(),
  postgres: hasPostgres(),
  redis: hasRedis(),
  nats: hasNats(),
  kubernetes: hasKubernetes(),
  local: true,
  caucus: true,
};

describe.each(Object.keys(sites))('three processes on %s, when', (name) => {
  let site: Site;

  beforeAll(async () => {
    if (isThere[name]) site = await sites[name]!();
  });
  afterEach(() => site?.recover());
  afterAll(() => site?.close());

  it.for(faults.map((fault) => [fault.name, fault] as const))('%s', async ([, fault], { skip }) => {
    if (!isThere[name]) return skip(`${name} is not installed`);
    const excuse = fault.excuse?.(site) ?? null;
    if (excuse !== null) return skip(excuse);
    const trial = await tryFault(fault, site, { leaseMs: site.leaseMs });
    expect(trial.faults, trial.losses.join('\n')).toEqual([]);
  });
});
