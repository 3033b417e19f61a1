import type { Entry, JournalEntry, Page, SessionSummary, Snapshot } from 'protocol'
import { expect, test } from 'vitest'
import { killedHouse } from './support/killed-house.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { type EventClient, openEvents } from './support/sse-client.ts'
import { password, startJarvis, type TestJarvis, tokenFor } from './support/start-jarvis.ts'

type Sent = { sessionId: string; runId: string; messageId: string; queued: boolean }

const post = async <T>(jarvis: TestJarvis, path: string, json: object = {}): Promise<T> => {
  const response = await jarvis.rest(path, { method: 'POST', json })
  expect(response.ok, `${path}: ${response.status} ${await response.clone().text()}`).toBe(true)
  return (await response.json()) as T
}
const entriesOf = async (jarvis: TestJarvis, id: string) =>
  ((await (await jarvis.rest(`/api/sessions/${id}/entries?limit=200`)).json()) as Page<Entry>).items
const idsOf = (...clients: EventClient[]) => clients.flatMap(({ heard }) => heard.flatMap(({ id }) => id ?? []))
const token = tokenFor('operator')

test('a program starts a run, hears what a screen hears, decides elsewhere, and goes on where it was cut off', async () => {
  const model = scripted(calls('I shall stop it.', ['stop_vm', { vmid: 103 }]), says('Stopped, sir.'), says('Yes.'))
  const jarvis = await startJarvis({ model })
  const begin = { message: 'Stop 103.', title: 'By a program', requestId: 'once' }
  const made = await jarvis.rest('/api/sessions', { method: 'POST', json: begin })
  expect(made.status).toBe(201)
  const { id, runId, title, messageId } = (await made.json()) as SessionSummary & Sent
  expect(title).toBe('By a program')
  const events = `${jarvis.url}/api/sessions/${id}/events`
  const screen = await jarvis.connect()
  await screen.ask('chat:attach', { sessionId: id })

  const first = await openEvents(events, token)
  expect(Object.fromEntries(first.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  const card = (await first.next('chat:confirm_needed')).data
  expect(first.retryMs).toBe(2_000)
  await first.next('chat:partial')
  // Repeating the request starts nothing and gives the same run.
  expect(await post<Sent>(jarvis, '/api/sessions', begin)).toMatchObject({ runId, messageId })
  const snapshot = (await (await jarvis.rest(`/api/sessions/${id}/snapshot`)).json()) as Snapshot
  expect(snapshot.pending.map(({ toolUseId }) => toolUseId)).toEqual([card.toolUseId])
  first.close()

  const lastId = String(first.heard.findLast((one) => one.id !== undefined)?.id)
  // The header counts more than the query, because a browser repeats the address as it was.
  const second = await openEvents(`${events}?after=0`, token, { 'last-event-id': lastId })
  await second.next('chat:partial')
  await post(jarvis, `/api/confirmations/${String(card.toolUseId)}`, { confirmed: true })
  await second.next('chat:done')
  expect(idsOf(first, second)).toEqual((await entriesOf(jarvis, id)).map(({ seq }) => String(seq)))
  for (const { id, event, data } of second.heard) {
    expect(id === undefined).toBe(/token|thinking|partial|queued|title|progress|notice/.test(event))
    if (id !== undefined) expect(data).toMatchObject({ sessionId: expect.any(String), seq: Number(id) })
  }
  // Live events are the same to the letter as on Socket.IO.
  await screen.next('chat:done')
  const live = second.heard.slice(second.heard.findIndex(({ event }) => event === 'chat:partial') + 1)
  const firstLive = Number(live[0]?.data.seq)
  const told = screen.received.map(({ event, payload }) => ({ event, data: payload }))
  expect(live.map(({ event, data }) => ({ event, data }))).toEqual(
    told.filter(({ data }) => Number(data.seq) >= firstLive),
  )

  const more = await jarvis.rest(`/api/sessions/${id}/messages`, { method: 'POST', json: { message: 'Really?' } })
  expect(more.status).toBe(202)
  const answered = (await more.json()) as Sent
  await second.until(({ event, data }) => event === 'chat:done' && data.runId === answered.runId)
  const shown = (await (await jarvis.rest(`/api/sessions/${id}`)).json()) as SessionSummary
  expect(shown.context?.usedTokens).toBeGreaterThan(0)
  expect(shown.context?.limitTokens).toBeGreaterThan(shown.context?.usedTokens ?? 0)

  // A word on an answer is a line of the transcript that no model reads.
  const answer = (await entriesOf(jarvis, id)).findLast(({ type }) => type === 'assistant')
  const rate = (seq: number | undefined, json: object, role: 'operator' | 'viewer' = 'operator') =>
    jarvis.rest(`/api/sessions/${id}/entries/${seq}/rating`, { method: 'PUT', json, role })
  expect(await (await rate(answer?.seq, { rating: 'down', note: 'Too short.' })).json()).toEqual({
    rating: 'down',
    note: 'Too short.',
  })
  expect((await second.next('chat:rating')).data).toMatchObject({ of: answer?.seq, rating: 'down', by: 'operator' })
  expect((await rate(answer?.seq, { rating: null })).status).toBe(200)
  expect((await rate(0, { rating: 'up' })).status).toBe(404)
  expect((await rate(answer?.seq, { rating: 'good' })).status).toBe(400)
  expect((await rate(answer?.seq, { rating: 'up' }, 'viewer')).status).toBe(403)
  const { items } = (await (
    await jarvis.rest(`/api/journal?kind=session&sessionId=${id}`)
  ).json()) as Page<JournalEntry>
  expect(items.map(({ body }) => body as Record<string, unknown>).filter(({ change }) => change === 'rated')).toEqual([
    expect.objectContaining({ rating: null }),
    expect.objectContaining({ rating: 'down', note: 'Too short.', entry: answer?.seq, by: 'operator' }),
  ])

  expect((await jarvis.rest(`/api/sessions/${id}`, { method: 'DELETE' })).status).toBe(204)
  await second.ended
  await expect(openEvents(events, token)).rejects.toThrow(/404.*unknown_session/)
  expect(jarvis.scriptIsDone()).toBe(true)
})

test('a run is stopped over REST, and what is asked wrongly is refused in words', async () => {
  const jarvis = await startJarvis({ model: scripted(calls(['stop_vm', { vmid: 103 }])) })
  const { sessionId } = await post<Sent>(jarvis, '/api/sessions', { message: 'Stop it.' })
  const client = await openEvents(`${jarvis.url}/api/sessions/${sessionId}/events`, token)
  await client.next('chat:confirm_needed')
  const refused: [
    path: string,
    init: RequestInit & { json?: object; role?: 'viewer' },
    status: number,
    words: RegExp,
  ][] = [
    [`/${sessionId}/abort`, { method: 'POST', json: {}, role: 'viewer' }, 403, /forbidden/],
    [`/${sessionId}/messages`, { method: 'POST', json: { message: 'x' }, role: 'viewer' }, 403, /forbidden/],
    [`/${sessionId}/messages`, { method: 'POST', json: { message: ' ' } }, 400, /message/],
    [`/${sessionId}/messages`, { method: 'POST', json: { message: 'x', confirmed: true } }, 400, /confirmed/],
    [`/${sessionId}/messages`, { method: 'POST', json: { message: 'x', model: 'none/such' } }, 400, /none\/such/],
    ['/ses_0/messages', { method: 'POST', json: { message: 'x' } }, 404, /unknown_session/],
    ['', { method: 'POST', json: { title: 'x', model: 'scripted/model' } }, 400, /need a message/],
    [`/${sessionId}/events?after=x`, {}, 400, /after/],
    [`/${sessionId}/events?token=x`, {}, 400, /token/],
    [`/${sessionId}/events`, { headers: { 'last-event-id': 'x' } }, 400, /Last-Event-ID/],
    [`/${sessionId}/snapshot?since=x`, {}, 400, /since/],
    ['/ses_0/snapshot', {}, 404, /unknown_session/],
  ]
  for (const [path, init, status, words] of refused) {
    const response = await jarvis.rest(`/api/sessions${path}`, init)
    expect([path, response.status], await response.clone().text()).toEqual([path, status])
    expect(await response.text()).toMatch(words)
  }
  expect((await fetch(`${jarvis.url}/api/sessions/${sessionId}/events`)).status).toBe(401)
  await post(jarvis, `/api/sessions/${sessionId}/abort`)
  expect((await client.next('chat:done')).data).toMatchObject({ stopReason: 'aborted' })
  expect(jarvis.controls.effects).toEqual([])

  const tool = (await (await jarvis.rest('/api/tools/stop_vm')).json()) as { name: string; tier: string }
  expect(tool).toMatchObject({ name: 'stop_vm', tier: 'red' })
  expect((await jarvis.rest('/api/tools/no_such')).status).toBe(404)
  expect((await jarvis.rest('/api/tools/calls')).status).toBe(200)
})

test('the activity feed is a stream too; a token that signs out or runs out ends its streams and no others', async () => {
  const jarvis = await startJarvis({ model: scripted(calls(['stop_vm', { vmid: 103 }])) })
  const feed = await openEvents(`${jarvis.url}/api/events`, token)
  const { sessionId } = await post<Sent>(jarvis, '/api/sessions', { message: 'Stop it.' })
  await feed.until(({ event, data }) => event === 'changed' && data.what === 'confirmations')
  await jarvis.rest('/api/settings', { method: 'PUT', json: { profile: 'restricted' } })
  const line = await feed.until(({ event, data }) => event === 'event' && data.kind === 'policy')
  expect(line.data).toMatchObject({ level: 'info', text: expect.stringContaining('restricted') })
  // An id of an earlier process, whose lines were counted from 1 too, leads to all lines again.
  const stale = await openEvents(`${jarvis.url}/api/events`, token, { 'last-event-id': '1.99' })
  await stale.until(({ id }) => id === line.id)
  const again = await openEvents(`${jarvis.url}/api/events`, token, { 'last-event-id': String(line.id) })
  await jarvis.rest('/api/settings', { method: 'PUT', json: { profile: 'balanced' } })
  await again.until(({ data }) => String(data.text).includes('balanced'))
  expect(again.heard.map(({ id }) => id)).not.toContain(line.id)

  const login = await fetch(`${jarvis.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password }),
  })
  const { token: signedIn } = (await login.json()) as { token: string }
  const mine = await openEvents(`${jarvis.url}/api/sessions/${sessionId}/events`, signedIn)
  await mine.next('chat:partial')
  await fetch(`${jarvis.url}/api/auth/logout`, { method: 'POST', headers: { authorization: `Bearer ${signedIn}` } })
  await mine.ended
  await post(jarvis, `/api/sessions/${sessionId}/abort`)
  await feed.until(({ event, data }) => event === 'changed' && data.sessionId === sessionId)
})

test('fifty programs on one session hear all of it, in the same order', async () => {
  const model = scripted(calls('Looking at all of them.', ['get_vms', {}]), says('Four of them run, sir.'))
  const jarvis = await startJarvis({ model })
  const { id } = await post<SessionSummary>(jarvis, '/api/sessions', {})
  const url = `${jarvis.url}/api/sessions/${id}/events`
  const readers = await Promise.all(Array.from({ length: 50 }, () => openEvents(url, token)))
  await Promise.all(readers.map((one) => one.next('chat:partial')))
  await post(jarvis, `/api/sessions/${id}/messages`, { message: 'Look.' })
  await Promise.all(readers.map((one) => one.next('chat:done')))
  const entries = (await entriesOf(jarvis, id)).map(({ seq }) => String(seq))
  for (const one of readers) {
    expect(idsOf(one)).toEqual(entries)
    expect(one.heard.map(({ data }) => data)).toEqual(readers[0]?.heard.map(({ data }) => data))
    one.close()
  }
})

const { newDir, life } = killedHouse('delegates')

test('killed while a card waits, a program hears each entry once, in order', async () => {
  const one = await life({ dataDir: newDir() })
  const { sessionId } = await one.ask<Sent>('sessions', { message: 'Write a line.' })
  const path = `/api/sessions/${sessionId}/events`
  const before = await openEvents(one.url + path, token)
  const card = await before.next('chat:confirm_needed')
  const { dataDir } = one.now()
  const heard = before.heard.length
  await one.stop()
  await before.ended
  expect(before.heard).toHaveLength(heard)

  const two = await life({ dataDir })
  const lastId = String(before.heard.findLast((heard) => heard.id !== undefined)?.id)
  const after = await openEvents(two.url + path, token, { 'last-event-id': lastId })
  await two.ask(`confirmations/${String(card.data.toolUseId)}`, { confirmed: true })
  const root = before.heard.find(({ event }) => event === 'chat:user')?.data.runId
  await after.until(({ event, data }) => event === 'chat:done' && data.runId === root)
  const response = await fetch(`${two.url}/api/sessions/${sessionId}/entries?limit=200`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { items } = (await response.json()) as Page<Entry>
  expect(idsOf(before, after)).toEqual(items.map(({ seq }) => String(seq)))
})
