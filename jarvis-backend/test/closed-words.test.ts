import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SqliteRecipientStore } from '../src/store/sqlite/channels/recipients.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { as, household } from './support/persons.ts'
import { calls, scripted } from './support/scripted-model.ts'

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

test('no card and no question of a deleted conversation is left', async () => {
  const asking = { questions: [{ question: 'Which xylophone?', options: [{ label: 'This' }, { label: 'That' }] }] }
  const { jarvis } = await household({
    env: { JARVIS_TITLES: 'off' },
    model: scripted(calls(['stop_vm', { vmid: 103 }]), calls(['ask_operator', asking])),
  })
  const screen = await jarvis.connect()
  const card = await screen.ask('chat:send', { message: 'Stop 103.' })
  await screen.next('chat:confirm_needed')
  const question = await screen.ask('chat:send', { message: 'Ask me.' })
  await screen.next('chat:question')
  const ids = [card.sessionId, question.sessionId]
  const share = { ...as('per_operator'), method: 'PUT', json: { may: 'look' } }
  for (const id of ids) expect((await jarvis.rest(`/api/sessions/${id}/shares/per_viewer`, share)).status).toBe(204)
  const told = async (who: string) => {
    const read = async (path: string) => {
      const { items } = (await (await jarvis.rest(`/api/${path}`, as(who))).json()) as {
        items: { sessionId: string }[]
      }
      return items.map(({ sessionId }) => sessionId)
    }
    return [...(await read('confirmations')), ...(await read('questions'))]
  }
  const all = async () => ({
    viewer: await told('per_viewer'),
    member: await told('per_member'),
    operator: await told('per_operator'),
  })
  expect(await all()).toEqual({ viewer: ids, member: [], operator: ids })
  for (const id of ids)
    expect((await jarvis.rest(`/api/sessions/${id}`, { ...as('per_operator'), method: 'DELETE' })).status).toBe(204)
  expect(await all()).toEqual({ viewer: [], member: [], operator: [] })
})

test.each(['auth/sign-out-others', 'people/per_ann/sign-out'])(
  'after %s no channel talks or approves for the person',
  async (door) => {
    const { jarvis } = await household({ others: { ann: 'operator' } })
    const database = openDatabase(join(jarvis.dataDir, 'jarvis.db'))
    const recipients = new SqliteRecipientStore(database)
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
