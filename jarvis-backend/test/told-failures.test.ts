import { expect, test } from 'vitest'
import { calls, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const secret = 'Winter-2031-xq'
const said = `password=${secret}`

test('the message of a failure loses its secrets at each door that tells it', async () => {
  const jarvis = await startJarvis({
    env: { JARVIS_EMBEDDINGS: 'none' },
    model: scripted(calls(['stop_vm', { vmid: 101 }])),
  })
  const screen = await jarvis.connect()
  const made = await jarvis.rest('/api/tokens', {
    method: 'POST',
    json: { name: 'program', doors: ['v1'], scope: 'ask' },
  })
  const { token } = (await made.json()) as { token: string }
  const rest = await jarvis.rest(`/api/${said}`)
  const socket = await screen.request('chat:send', { message: 'Hi.', model: said })
  const v1 = await fetch(`${jarvis.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: said, messages: [{ role: 'user', content: 'Hi.' }] }),
  })
  const told = [await rest.text(), JSON.stringify(socket), await v1.text()]
  expect(told.map((text) => [text.includes(secret), text.includes('[redacted]')])).toEqual(
    told.map(() => [false, true]),
  )
})
