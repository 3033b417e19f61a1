import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Files that leave something behind, under the settings of the real tests. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.leak.ts'],
    isolate: false,
    env: { LEFTOVERS_MS: '500' },
    setupFiles: ['../../../scripts/leftovers.ts'],
  },
})
