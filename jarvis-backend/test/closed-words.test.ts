import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRecipientStore } from '../src/store/sqlite/channels/recipients.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { askCurrent } from './support/mcp-current.ts'
import { as, household } from './support/persons.ts'

const viewer = as('per_viewer')
const secretWord = 'xylophone'

test('words of a conversation are closed to a viewer at each door that serves them, and open to whoever they belong to', async () => {
  const { jarvis, program } = await household({ others: { ann: 'operator' } })
  const text = `${secretWord} lives here.`
  const written = await jarvis.rest('/api/memory/files/MEMORY.md', { ...as('per_ann'), method: 'PUT', json: { text } })
  expect(written.status).toBe(200)
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: `/take_snapshot vmid=101 name=${secretWord}` })
  await screen.next('chat:done')
  const work = { kind: 'prompt', text: `Look for ${secretWord}.` }
  const json = { name: 'nightly', work, schedule: { kind: 'interval', minutes: 600 } }
  expect((await jarvis.rest('/api/jobs', { ...as('per_ann'), method: 'POST', json })).status).toBe(201)

  const doors = ['changes', 'journal?limit=200', 'jobs', 'memory/files/MEMORY.md', 'agents/main/files/MEMORY.md']
  const told = async (who: object) =>
    Promise.all(
      doors.map(async (door) => [door, (await (await jarvis.rest(`/api/${door}`, who)).text()).includes(secretWord)]),
    )
  expect(await told(as('per_operator'))).toEqual(doors.map((door) => [door, true]))
  expect(await told(viewer)).toEqual(doors.map((door) => [door, false]))
  for (const door of doors.slice(3))
    expect([door, (await jarvis.rest(`/api/${door}`, viewer)).status]).toEqual([door, 403])
  // The tools of a viewer's program are a door too.
  const name = 'memory_get'
  const call = (person: string) =>
    askCurrent(jarvis, program(person, 'read', ['mcp']), 'tools/call', { name, arguments: { path: 'MEMORY.md' } })
  expect(JSON.stringify(await call('per_ann'))).toContain(secretWord)
  expect(JSON.stringify(await call('per_viewer'))).not.toContain(secretWord)
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
