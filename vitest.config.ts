import { defineConfig } from 'vitest/config'
import { ByProject } from './scripts/by-project.ts'
import { SkipsReporter } from './scripts/skips-reporter.js'
import { filesOf, limits, projectNames } from './scripts/test-projects.ts'

// `JARVIS_TEST_SLOW=4` slows pages down by that factor, and gives all limits as much more.
const slowness = Number(process.env.JARVIS_TEST_SLOW ?? 1)

export default defineConfig({
  test: {
    // Three files at a time: on two cores, tests with a server leave one of them idle for a third of their time.
    maxWorkers: 3,
    sequence: { sequencer: ByProject },
    reporters: ['default', new SkipsReporter()],
    // Modules stay translated from one run to the next, in `node_modules`.
    experimental: { fsModuleCache: true },
    // Without `extends`: a project that inherits `maxWorkers` ignores `--maxWorkers`.
    projects: projectNames.map((name) => ({
      test: {
        name,
        include: filesOf(name),
        testTimeout: limits[name].testMs * slowness,
        hookTimeout: limits[name].testMs * slowness,
        expect: { poll: { timeout: limits[name].waitMs * slowness } },
        env: { JARVIS_TEST_WAIT_MS: String(limits[name].waitMs * slowness) },
        // Loading the same modules for each file took half of the time; none of them may keep anything between files.
        isolate: false,
        setupFiles: ['scripts/leftovers.ts'],
      },
    })),
  },
})
