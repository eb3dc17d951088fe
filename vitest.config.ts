import { defineConfig } from 'vitest/config';

// Unit tests stand beside the code they test; system tests live in test/.
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'sim/**/*.test.ts', 'bench/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: 'test/support/suite.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
