import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { mutate } from './mutants.ts'
import type { Work } from './work.ts'

const work = JSON.parse(readFileSync(process.env.JARVIS_MUTATION_WORK ?? '', 'utf8')) as Work
const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Runs the first file of tests as it is; the runner does the rest in the same process. */
export default defineConfig({
  root,
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      transform(source, id) {
        const holder = work.files.find(({ file }) => file === id)
        return holder && { code: mutate(source, holder.first).code, map: null }
      },
    },
  ],
  test: {
    include: work.tests.slice(0, 1),
    runner: fileURLToPath(new URL('./runner.ts', import.meta.url)),
    isolate: false,
    maxWorkers: 1,
    testTimeout: 20_000,
    teardownTimeout: 1_000,
    reporters: ['minimal'],
  },
})
