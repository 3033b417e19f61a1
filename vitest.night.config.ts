import { defineConfig } from 'vitest/config'

/** For `npm run test:night`: whole corpora, and properties with many more runs. The files are named on the command line. */
export default defineConfig({
  test: {
    include: ['jarvis-*/{src,test}/**/*.test.{ts,tsx}', 'packages/*/src/**/*.test.ts'],
    testTimeout: 30 * 60_000,
    hookTimeout: 2 * 60_000,
    maxWorkers: 1,
    expect: { poll: { timeout: 60_000 } },
    isolate: false,
    setupFiles: ['scripts/leftovers.ts'],
  },
})
