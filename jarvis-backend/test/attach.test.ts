import { expect, test } from 'vitest'
import { calls, pauses, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

test('a screen that joins in the middle of an answer sees what the first one sees', async () => {
  const paused = pauses('The first half, ', 'and the second.')
  const jarvis = await startJarvis({ model: scripted(paused) })
  const first = await jarvis.connect()
  const { sessionId, runId } = await first.ask('chat:send', { message: 'Tell me.' })
  await first.next('chat:token')

  const second = await jarvis.connect()
  const { snapshot } = await second.ask('chat:attach', { sessionId })
  expect(snapshot).toMatchObject({ sessionId, runId, title: 'Tell me.' })
  expect('The first half, '.startsWith(snapshot.partial.text)).toBe(true)
  expect(snapshot.entries).toMatchObject([{ type: 'user', text: 'Tell me.' }])

  paused.release()
  await second.next('chat:done')
  await first.next('chat:done')
  const later = first.received.filter(({ payload }) => Number(payload.seq) > snapshot.seq)
  expect(second.received).toEqual(later)
  const text = second.received.filter(({ event }) => event === 'chat:token').map(({ payload }) => payload.text)
  expect(snapshot.partial.text + text.join('')).toBe('The first half, and the second.')
})

test('a screen that joins during a confirmation gets the card, and later the decision', async () => {
  const jarvis = await startJarvis({ model: scripted(calls(['stop_vm', { vmid: 103 }]), says('Done.')) })
  const first = await jarvis.connect()
  const { sessionId } = await first.ask('chat:send', { message: 'Stop 103.' })
  const card = await first.next('chat:confirm_needed')
  const viewer = await jarvis.connect('/chat', 'viewer')
  const { snapshot } = await viewer.ask('chat:attach', { sessionId })
  expect(snapshot.pending).toMatchObject([{ toolUseId: card.toolUseId, expiresAt: card.expiresAt, now: card.now }])
  await first.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: false })
  expect(await viewer.next('chat:confirm_resolved')).toMatchObject({ decision: 'denied' })
  const { snapshot: after } = await viewer.ask('chat:attach', { sessionId })
  expect(after.pending).toEqual([])
})

test('a screen that joins while a tool runs sees its progress', async () => {
  const jarvis = await startJarvis({ model: scripted(calls(['restart_vm', { vmid: 103 }]), says('Done.')), speed: 1 })
  const first = await jarvis.connect()
  const { sessionId } = await first.ask('chat:send', { message: 'Restart 103.' })
  const { toolUseId } = await first.next('chat:confirm_needed')
  await first.ask('chat:confirm', { sessionId, toolUseId, confirmed: true })
  const progress = await first.next('chat:tool_progress')
  const second = await jarvis.connect()
  const { snapshot } = await second.ask('chat:attach', { sessionId })
  expect(snapshot.entries.map(({ type }) => type)).toEqual([
    'user',
    'assistant',
    'confirm_needed',
    'confirm_resolved',
    'tool_use',
  ])
  expect(snapshot.progress[toolUseId]).toBeDefined()
  expect(progress.message).not.toBe('')
  await second.ask('chat:abort', { sessionId })
  expect(await second.next('chat:tool_result')).toMatchObject({ isError: true })
  expect(await second.next('chat:done')).toMatchObject({ stopReason: 'aborted' })
})

test('a long session opens at its newest runs, and the rest is read page by page', async () => {
  const turns = Array.from({ length: 120 }, (_, index) => says(`Answer ${index}.`))
  const jarvis = await startJarvis({ model: scripted(...turns) })
  const operator = await jarvis.connect()
  let sessionId: string | undefined
  for (let index = 0; index < 120; index += 1) {
    const sent = await operator.ask('chat:send', { message: `Question ${index}?`, ...(sessionId && { sessionId }) })
    sessionId = sent.sessionId
    await operator.next('chat:done')
  }
  const { snapshot } = await operator.ask('chat:attach', { sessionId: sessionId ?? '' })
  expect(snapshot.hasEarlier).toBe(true)
  expect(snapshot.entries[0]).toMatchObject({ type: 'user' })
  const since = snapshot.entries.at(-4)?.seq ?? 0
  const missed = await operator.ask('chat:attach', { sessionId: sessionId ?? '', since })
  expect(missed.snapshot).toMatchObject({ since, seq: snapshot.seq, entries: snapshot.entries.slice(-3) })
  for (const tooFar of [0, snapshot.seq + 1]) {
    const whole = await operator.ask('chat:attach', { sessionId: sessionId ?? '', since: tooFar })
    expect(whole.snapshot).toEqual(snapshot)
  }
  let seen = snapshot.entries.filter(({ type }) => type !== 'compaction').length
  let before: string | undefined = String(snapshot.entries[0]?.seq)
  while (before !== undefined) {
    const response = await jarvis.rest(`/api/sessions/${sessionId}/entries?before=${before}&limit=100`)
    const page = (await response.json()) as { items: { type: string }[]; next?: string }
    expect(page.items.length).toBe(page.next === undefined ? page.items.length : 100)
    // A long conversation is folded now and then, which is an entry too.
    seen += page.items.filter(({ type }) => type !== 'compaction').length
    before = page.next
  }
  expect(seen).toBe(120 * 3)
})
