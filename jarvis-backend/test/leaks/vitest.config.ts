import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { SkipsReporter } from '../../../scripts/skips-reporter.js'

/** Files that leave something behind, and one that needs a browser, under the settings of the real tests. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.leak.ts'],
    reporters: ['json', new SkipsReporter()],
    isolate: false,
    env: { LEFTOVERS_MS: '500' },
    setupFiles: ['../../../scripts/leftovers.ts'],
  },
})
