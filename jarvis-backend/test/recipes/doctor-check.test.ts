import { expect, test, vi } from 'vitest'
import type { runCommand as RunCommand } from '../../src/cli/run-command.ts'
import { folder } from '../support/data-dir.ts'
import { besideTest, followRecipe, recipeOf } from '../support/follow-recipe.ts'

const heading = 'A doctor check'

test('the recipe shows the file beside this test', () => {
  expect(recipeOf(heading).file).toBe(besideTest('free-memory.ts', { '../../src/doctor/': './' }))
})

test('the doctor prints a check that follows the recipe', async () => {
  const { runCommand } = await followRecipe<{ runCommand: typeof RunCommand }>(
    heading,
    { path: 'src/doctor/inspectors.ts', after: 'Inspector[] = [\n' },
    `export { runCommand } from './cli/run-command.ts'`,
  )
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  await runCommand(['doctor', '--no-model'], { JARVIS_DATA_DIR: folder(), JARVIS_EMBEDDINGS: 'none', PORT: '0' })
  const lines = log.mock.calls.flat().join('\n')
  log.mockRestore()
  process.exitCode = 0
  expect(lines).toMatch(/^[✓!] Memory +\d+ MiB of memory are free\./m)
}, 120_000)
