import { defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/longest-first.js'
import { SkipsReporter } from './scripts/skips-reporter.js'

// `JARVIS_TEST_SLOW=4` slows pages down by that factor.
const slowness = Number(process.env.JARVIS_TEST_SLOW ?? 1)

export default defineConfig({
  test: {
    include: ['jarvis-*/src/**/*.test.{ts,tsx}', 'jarvis-*/test/**/*.test.ts', 'packages/*/{src,test}/**/*.test.ts'],
    testTimeout: 180_000 * slowness,
    hookTimeout: 120_000 * slowness,
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new SkipsReporter()],
    // One second, the default, passes on a busy machine before one answer comes.
    expect: { poll: { timeout: 30_000 * slowness } },
    // Loading the same modules for each file took half of the time; none of them may keep anything between files.
    isolate: false,
    setupFiles: ['scripts/leftovers.ts'],
  },
})
