import { expect, test } from 'vitest'
import { attachedDir, connected, odd, setTier, tool } from './support/attached.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

test('a tool’s picture is kept beside the transcript, given to the model, and served to who may read the session', async () => {
  const { dir } = attachedDir((planPath) => ({ odd: odd(planPath) }), { tools: [tool('pictures')] })
  const model = scripted(calls(['odd__pictures', {}]), says('A cat.'), says('Still a cat.'))
  const jarvis = await startJarvis({ dataDir: dir, model })
  await connected(jarvis, 'odd')
  await setTier(jarvis, 'odd__pictures', 'green')
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Who is at the door?' })
  const result = await operator.next('chat:tool_result')
  await operator.next('chat:done')

  // Markup that calls itself a picture stays words.
  expect(result.result).toBe('The camera at the door:\n[image, 1 kB, image/png]\n[image image/png, 1 kB, not shown]')
  expect(result.images).toEqual([{ id: expect.stringMatching(/^[\da-f]{64}$/), mimeType: 'image/png', bytes: 70 }])
  const answered = model.requests[1]?.messages.at(-1)
  expect(answered?.role === 'user' && answered.results[0]?.images).toMatchObject([{ mimeType: 'image/png' }])

  const path = (id: string) => `/api/sessions/${id}/images/${result.images?.[0]?.id}`
  const picture = await jarvis.rest(path(sessionId))
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(picture.headers.get('content-security-policy')).toContain('sandbox')
  expect(picture.headers.get('x-content-type-options')).toBe('nosniff')
  expect((await picture.arrayBuffer()).byteLength).toBe(70)
  // Kept by the browser, and shown again only where that is still allowed.
  expect(picture.headers.get('cache-control')).toBe('private, no-cache')
  const known = { headers: { 'if-none-match': picture.headers.get('etag') ?? '', 'cache-control': 'max-age=0' } }
  expect((await jarvis.rest(path(sessionId), known)).status).toBe(304)
  expect((await fetch(jarvis.url + path(sessionId))).status).toBe(401)
  expect((await jarvis.rest(path('ses_0'))).status).toBe(404)

  // A branch has the pictures that it shows, and no others.
  const branchAt = async (point: object) => {
    const made = await jarvis.rest(`/api/sessions/${sessionId}/branch`, { method: 'POST', json: point })
    return ((await made.json()) as { id: string }).id
  }
  const { entries } = (await operator.ask('chat:attach', { sessionId })).snapshot
  const seqOf = (type: string) => entries.findLast((entry) => entry.type === type)?.seq
  expect((await jarvis.rest(path(await branchAt({ after: seqOf('assistant') })))).status).toBe(200)
  expect((await jarvis.rest(path(await branchAt({ before: seqOf('user') })))).status).toBe(404)

  await operator.ask('chat:send', { sessionId, message: 'And now?' })
  await operator.next('chat:done')
  const earlier = model.requests[2]?.messages.flatMap((message) => (message.role === 'user' ? message.results : []))
  expect(earlier?.[0]?.images?.length).toBe(1)
  await jarvis.rest(`/api/sessions/${sessionId}`, { method: 'DELETE' })
  expect((await jarvis.rest(path(sessionId))).status).toBe(404)
})
