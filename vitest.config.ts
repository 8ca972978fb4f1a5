import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those that take longest of each project, which begin first: else one of them would go on alone at the end. */
const LONGEST: readonly string[] = [
  'liveness.test.ts',
  'quorum/mutants.test.ts',
  'simulation/swarm.test.ts',
  'exploration/families.test.ts',
  'engines/safety/safety.test.ts',
  'cli/run.test.ts',
  'member/attacks.test.ts',
  'member/releases.test.ts',
  'engines/many-elections-etcd.test.ts',
  'engines/many-elections-postgres.test.ts',
  'engines/many-elections-redis.test.ts',
  'adapters/cron.test.ts',
  'member/witness-hosts.test.ts',
  'cli/up.test.ts',
  'member/disks-copied.test.ts',
  'engines/clock-set-back.test.ts',
  'member/disks-lost.test.ts',
  'balance/members.test.ts',
  'package.test.ts',
  'cli/up-page.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const place = LONGEST.findIndex((each) => moduleId.endsWith(`/test/${each}`));
      return place < 0 ? LONGEST.length : place;
    };
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}

/** Tests that only compute: no process, no socket, no clock, and nothing that one file leaves behind for the next. */
const PURE: readonly string[] = [
  'test/{core,exploration,host,leases,paper,peers,playground,properties,quorum,simulation,store,supporting}/**/*.test.ts',
  'test/{liveness,traces,verification}.test.ts',
];

/** On a busy machine a second is nothing. */
const patience = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 15_000 } } };

const config: ViteUserConfig = defineConfig({
  test: {
    globalSetup: ['test/support/install.ts'],
    sequence: { sequencer: LongestFirst },
    // For two cores. Vitest runs one project after the other where their numbers of workers differ.
    projects: [
      {
        test: {
          name: 'pure',
          include: [...PURE],
          ...patience,
          maxWorkers: 2,
          // A process for each file would load the same modules anew, and compile them anew.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'real',
          include: ['test/**/*.test.ts'],
          exclude: [...PURE],
          ...patience,
          // These wait for processes, servers and leases most of the time, not for a processor.
          maxWorkers: 3,
          // Real processes on a machine that stalls for seconds: the report names each test that passed only at the second try.
          retry: process.env.CI ? 1 : 0,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});

export default config;
