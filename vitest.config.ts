import { defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/longest-first.js'
import { SkipsReporter } from './scripts/skips-reporter.js'

export default defineConfig({
  test: {
    include: ['jarvis-*/src/**/*.test.{ts,tsx}', 'jarvis-*/test/**/*.test.ts', 'packages/*/{src,test}/**/*.test.ts'],
    testTimeout: 40_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new SkipsReporter()],
    // Loading the same modules for each file took half of the time; none of them may keep anything between files.
    isolate: false,
    setupFiles: ['scripts/leftovers.ts'],
  },
})
