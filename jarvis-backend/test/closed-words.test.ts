import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRecipientStore } from '../src/store/sqlite/channels/recipients.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { as, household } from './support/persons.ts'

test('what is left of a deleted conversation is closed to whoever does not see all of them', async () => {
  const { jarvis } = await household()
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: '/take_snapshot vmid=101 name=xylophone' })
  await screen.next('chat:done')
  const share = { ...as('per_operator'), method: 'PUT', json: { may: 'look' } }
  expect((await jarvis.rest(`/api/sessions/${sessionId}/shares/per_viewer`, share)).status).toBe(204)
  const told = async (who: string) => (await (await jarvis.rest('/api/changes', as(who))).text()).includes('xylophone')
  const all = () => Promise.all(['per_viewer', 'per_operator'].map(told))
  expect(await all()).toEqual([true, true])
  expect((await jarvis.rest(`/api/sessions/${sessionId}`, { ...as('per_operator'), method: 'DELETE' })).status).toBe(
    204,
  )
  expect(await all()).toEqual([false, true])
})

test.each(['auth/sign-out-others', 'people/per_ann/sign-out'])(
  'after %s no channel talks or approves for the person',
  async (door) => {
    const { jarvis } = await household({ others: { ann: 'operator' } })
    const database = openDatabase(join(jarvis.dataDir, 'jarvis.db'))
    const recipients = createRecipientStore(database)
    const phone = { channel: 'telegram', account: '1', name: 'phone', isGroup: false, hidesNames: false }
    for (const person of ['per_ann', 'per_owner'])
      recipients.add({
        ...phone,
        user: person,
        chat: person,
        id: `rcp_${person}`,
        person,
        decides: 'approve',
        talks: true,
        createdAt: 1,
      })
    const who = door.startsWith('auth') ? as('per_ann') : {}
    expect((await jarvis.rest(`/api/${door}`, { ...who, method: 'POST' })).status).toBe(200)
    expect(recipients.list().map(({ person }) => person)).toEqual(['per_owner'])
    database.close()
  },
)
