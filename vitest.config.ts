import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those that take longest, which begin first: else one of them would go on alone at the end. */
const LONGEST: readonly string[] = [
  'engines/safety/safety.test.ts',
  'liveness.test.ts',
  'engines/clock-set-back.test.ts',
  'cli/run.test.ts',
  'cli/up.test.ts',
  'simulation/swarm.test.ts',
  'exploration/families.test.ts',
  'member/disks-copied.test.ts',
  'quorum/mutants.test.ts',
  'member/disks-lost.test.ts',
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

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // On a busy machine a second is nothing.
    expect: { poll: { timeout: 15_000 } },
    // Most tests wait for processes and servers, not for a processor.
    maxWorkers: 2,
    globalSetup: ['test/support/install.ts'],
    sequence: { sequencer: LongestFirst },
  },
});

export default config;
