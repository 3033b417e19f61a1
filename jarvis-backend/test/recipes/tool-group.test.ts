import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inFixedOrder, toolGroups } from '../../src/tools/house.ts'
import { withPorts } from '../../src/tools/tool.ts'
import { expectLine, expectShown } from '../support/recipe.ts'
import { calls, says, scripted } from '../support/scripted-model.ts'
import { startJarvis } from '../support/start-jarvis.ts'
import { noteTools } from './note-tools.ts'

const title = 'A tool group'

test('the recipe shows the file of the group, and the two lines that add it', () => {
  expectShown(title, 'jarvis-backend/src/tools/notes/index.ts', join(import.meta.dirname, 'note-tools.ts'))
  expectLine(title, 'noteTools,', 'jarvis-backend/src/tools/house.ts')
  expectLine(title, 'tools: withPorts(noteTools, notes)', 'room.ts')
})

test('a model is offered the group of the recipe behind all others, and a call reaches its ports', async () => {
  // The first line: the list of groups, with the new one at its end.
  const declared = [...toolGroups, noteTools].flat()
  expect(new Set(declared.map(({ name }) => name)).size).toBe(declared.length)
  expect(inFixedOrder(declared).at(-1)?.name).toBe('list_notes')
  // The second line: what the room contributes.
  const notes = { list: () => ['Buy a disk.'] }
  const model = scripted(calls(['list_notes', {}]), says('One note.'))
  const jarvis = await startJarvis({ model, tools: withPorts(noteTools, notes) })
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: 'What did I note?' })
  expect(await screen.next('chat:tool_result')).toMatchObject({
    isError: false,
    result: expect.stringContaining('Buy a disk.'),
  })
  await screen.next('chat:done')
})
