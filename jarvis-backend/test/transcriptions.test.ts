import { expect, test } from 'vitest'
import { startService } from './fake-services/service.ts'
import { scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const key = 'planted-whisper-key-0123456789'
const said = (name = 'voice.webm', data = Buffer.from('webm').toString('base64')) => ({ name, data })

test('speech is off until its server is set, and that is said', async () => {
  const jarvis = await startJarvis({ model: scripted() })
  expect(await (await jarvis.rest('/api/status')).json()).not.toHaveProperty('hasSpeech')
  const answer = await jarvis.rest('/api/transcriptions', { method: 'POST', json: said() })
  expect(answer.status).toBe(409)
  expect(await answer.text()).toContain('JARVIS_TRANSCRIBE_URL')
})

test('a recording becomes text without secrets; what the server says of a failure is told without the key', async () => {
  let reply: object = { json: { text: `restart nginx with ${key}` } }
  const speech = await startService(({ path, headers, method }) =>
    method === 'POST' && path === '/v1/audio/transcriptions' && headers.authorization === `Bearer ${key}`
      ? reply
      : { status: 404 },
  )
  const env = { JARVIS_TRANSCRIBE_URL: `${speech.url}/v1/`, JARVIS_TRANSCRIBE_KEY: key }
  const jarvis = await startJarvis({ model: scripted(), env })
  expect(await (await jarvis.rest('/api/status')).json()).toMatchObject({ hasSpeech: true })
  const send = async (json: object) => {
    const answer = await jarvis.rest('/api/transcriptions', { method: 'POST', json })
    return [answer.status, await answer.text()] as const
  }
  const [status, text] = await send(said())
  expect([status, text]).toEqual([200, expect.stringContaining('restart nginx with')])
  expect(text).not.toContain(key)
  expect(speech.taken[0]?.body).toMatch(/filename="voice\.webm"[\s\S]*whisper-1/)
  for (const wrong of [said('../../etc/passwd.webm'), said('voice.exe'), said('voice.webm', '§')])
    expect((await send(wrong))[0]).toBe(400)
  reply = { status: 500, text: `the key ${key} has no credit` }
  const [failed, why] = await send(said())
  expect([failed, why]).toEqual([409, expect.stringContaining('whisper-1 answered 500')])
  expect(why).not.toContain(key)
  // A redirect may lead anywhere, with the key.
  reply = { status: 307, headers: { location: `${speech.url}/elsewhere` } }
  expect(await send(said())).toEqual([409, expect.stringContaining('could not be reached')])
  expect(speech.taken.some(({ path }) => path === '/elsewhere')).toBe(false)
})
