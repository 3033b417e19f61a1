import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { compose as Compose } from '../../src/process.ts'
import { followRecipe } from '../support/follow-recipe.ts'
import { household, tokenOf } from '../support/persons.ts'
import { expectLine, expectShown } from '../support/recipe.ts'

const title = 'A socket request'

test('the recipe shows the file of the request, and the line that judges it', () => {
  expectShown(title, 'jarvis-backend/src/realtime/guest-request.ts', join(import.meta.dirname, 'guest-request.ts'))
  expectLine(title, '/cluster   cluster:guest     deciding  -         -', 'jarvis-backend/test/rights/doors.ts')
})

test('the request of the recipe is acknowledged for whoever may make it, and refused for others', async () => {
  const { compose } = await followRecipe<{ compose: typeof Compose }>(
    title,
    { path: 'src/realtime/room.ts', after: '        requests: [\n' },
    "export { compose } from './process.ts'",
  )
  const { jarvis } = await household({ compose })
  const asks = async (who: string, payload: object): Promise<unknown> => {
    const { socket } = await jarvis.connect('/cluster', 'operator', tokenOf(`per_${who}`))
    return socket.emitWithAck('cluster:guest', payload)
  }
  expect(await asks('operator', { vmid: 103 })).toMatchObject({ ok: true, guest: { vmid: 103 } })
  expect(await asks('operator', { vmid: 'nas' })).toMatchObject({ ok: false, error: { code: 'invalid_request' } })
  expect(await asks('viewer', { vmid: 103 })).toMatchObject({ ok: false, error: { code: 'forbidden' } })
  expect(await asks('member', { vmid: 103 })).toMatchObject({ ok: false, error: { code: 'forbidden' } })
  expect(jarvis.requests.map(({ event }) => event)).toContain('cluster:guest')
}, 120_000)
