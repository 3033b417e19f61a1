import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // On two busy cores a browser may miss a moment. What was retried is told in the report: it is still to be mended.
    retry: 2,
    include: ['jarvis-*/src/**/*.test.{ts,tsx}', 'jarvis-*/test/**/*.test.ts'],
    testTimeout: 40_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // Loading the same modules for each file took half of the time; none of them may keep anything between files.
    isolate: false,
  },
})
