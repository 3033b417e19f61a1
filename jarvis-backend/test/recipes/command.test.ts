import { expect, test, vi } from 'vitest'
import type { Commands } from '../../src/cli/command.ts'
import type { completion as Completion } from '../../src/cli/completion.ts'
import type { referenceText as ReferenceText } from '../../src/cli/help.ts'
import type { runCommand as RunCommand } from '../../src/cli/run-command.ts'
import { folder } from '../support/data-dir.ts'
import { besideTest, followRecipe, recipeOf } from '../support/follow-recipe.ts'

const heading = 'A command'

test('the recipe shows the file beside this test', () => {
  expect(recipeOf(heading).file).toBe(besideTest('nodes-command.ts', { '../../src/cli/': '../' }))
})

test('a command that follows the recipe runs, has help and completions, and stands on the page', async () => {
  const { runCommand, commands, completion, referenceText } = await followRecipe<{
    runCommand: typeof RunCommand
    commands: Commands
    completion: typeof Completion
    referenceText: typeof ReferenceText
  }>(
    heading,
    { path: 'src/cli/commands.ts', after: 'new Commands([\n' },
    `export { runCommand } from './cli/run-command.ts'
     export { commands } from './cli/commands.ts'
     export { completion } from './cli/completion.ts'
     export { referenceText } from './cli/help.ts'`,
  )
  const env = { JARVIS_DATA_DIR: folder(), JARVIS_NODES: 'pve1=10.0.4.11,pve2=10.0.4.12' }
  const run = async (...words: string[]) => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      await runCommand(words, env)
      return log.mock.calls.flat().join('\n')
    } finally {
      log.mockRestore()
    }
  }
  expect(await run('nodes')).toBe('pve1  10.0.4.11\npve2  10.0.4.12')
  expect(await run('nodes', 'pve2', '--json')).toBe('["pve2"]')
  await expect(run('nodes', 'pve9')).rejects.toThrow('JARVIS_NODES does not name pve9.')
  await expect(run('nodes', '--yaml')).rejects.toThrow('There is no --yaml; there are --json.')
  await expect(run('node')).rejects.toThrow('Did you mean nodes?')
  expect(await run('nodes', '--help')).toContain('--json')
  expect(await run('help')).toContain('\n  nodes [NAME]')
  expect(referenceText(commands)).toContain('| `jarvis nodes [NAME]` | the nodes that JARVIS_NODES names')
  const write = vi.spyOn(process.stdout, 'write').mockImplementation(() => true)
  completion(['bash'], commands)
  const script = write.mock.calls.flat().join('')
  write.mockRestore()
  expect(script).toContain('nodes) words="--json"')
}, 120_000)
