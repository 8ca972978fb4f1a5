import { defineConfig, type ViteUserConfig } from 'vitest/config';

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
  },
});

export default config;
