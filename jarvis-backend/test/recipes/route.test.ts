import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { compose as Compose } from '../../src/process.ts'
import { followRecipe } from '../support/follow-recipe.ts'
import { as, household } from '../support/persons.ts'
import { expectLine, expectShown } from '../support/recipe.ts'

const title = 'A REST route'

test('the recipe shows the file of the route, and the line that judges it', () => {
  expectShown(title, 'jarvis-backend/src/http/uptimes.ts', join(import.meta.dirname, 'uptimes.ts'))
  expectLine(
    title,
    'GET    /uptimes                                   whole+read    -         -',
    'jarvis-backend/test/rights/doors.ts',
  )
})

test('the route of the recipe answers whoever may come, refuses others, and stands in the document', async () => {
  const { compose } = await followRecipe<{ compose: typeof Compose }>(
    title,
    { path: 'src/tools/room.ts', after: '        routes: [\n' },
    "export { compose } from './process.ts'",
  )
  const { jarvis, program } = await household({ compose })
  const ask = (path: string, who: object) => jarvis.rest(path, who)
  const items = jarvis.homelab.cluster.state().nodes.map(({ name }) => expect.objectContaining({ node: name }))
  expect(await (await ask('/api/uptimes', as('per_viewer'))).json()).toEqual({ items })
  const token = program('per_viewer', 'read')
  expect((await ask('/api/uptimes', { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
  expect((await ask('/api/uptimes', as('per_member'))).status).toBe(403)
  expect((await ask('/api/uptimes?of=pve', as('per_viewer'))).status).toBe(400)
  expect((await fetch(`${jarvis.url}/api/uptimes`)).status).toBe(401)
  const document = (await (await ask('/api/openapi.json', as('per_viewer'))).json()) as { paths: object }
  expect(document.paths).toHaveProperty(['/api/uptimes', 'get', 'summary'], 'How long each node has run, s.')
}, 120_000)
