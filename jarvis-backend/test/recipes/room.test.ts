import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { compose as Compose } from '../../src/process.ts'
import { followRecipe } from '../support/follow-recipe.ts'
import { expectLine, expectShown } from '../support/recipe.ts'
import { startJarvis } from '../support/start-jarvis.ts'

const title = 'A room'

test('the recipe shows the file of the room, and the lines that judge its routes', () => {
  expectShown(title, 'jarvis-backend/src/notes/room.ts', join(import.meta.dirname, 'notes-room.ts'))
  expectLine(
    title,
    'GET    /node-notes/:node                          whole         -         -',
    'jarvis-backend/src/site.ts',
  )
  expectLine(
    title,
    'PUT    /node-notes/:node                          deciding      -         -',
    'jarvis-backend/src/site.ts',
  )
})

test('the room of the recipe opens with the site, and its routes are served', async () => {
  const { compose } = await followRecipe<{ compose: typeof Compose }>(
    title,
    { path: 'src/site.ts', after: '  const { cluster } = homelab\n' },
    "export { compose } from './process.ts'",
  )
  const jarvis = await startJarvis({ compose })
  const text = { text: 'The fan is loud.' }
  const put = (role: 'operator' | 'viewer') => jarvis.rest('/api/node-notes/pve', { method: 'PUT', role, json: text })
  expect((await put('viewer')).status).toBe(403)
  expect((await put('operator')).status).toBe(200)
  expect(await (await jarvis.rest('/api/node-notes/pve', { role: 'viewer' })).json()).toEqual(text)
}, 120_000)
