import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { calls, says, scripted, stalls } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

function keptDir() {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-kept-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  return dataDir
}

test('a card outlives a restart with its expiry, and runs once when approved', async () => {
  const dataDir = keptDir()
  const before = await startJarvis({ dataDir, model: scripted(calls(['stop_vm', { vmid: 103 }])) })
  const first = await before.connect()
  const { sessionId } = await first.ask('chat:send', { message: 'Stop 103.' })
  const card = await first.next('chat:confirm_needed')
  await before.stop()

  const after = await startJarvis({ dataDir, model: scripted(says('Stopped, sir.')) })
  const second = await after.connect()
  const { snapshot } = await second.ask('chat:attach', { sessionId })
  expect(snapshot.pending).toMatchObject([{ toolUseId: card.toolUseId, expiresAt: card.expiresAt }])
  await second.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
  await second.next('chat:done')
  expect(after.guest(103)?.status).toBe('stopped')
  expect(after.controls.effects).toHaveLength(1)
  expect(second.received.every(({ payload }) => Number(payload.seq) > snapshot.seq)).toBe(true)
})

test('queued messages are answered after a restart', async () => {
  const dataDir = keptDir()
  const before = await startJarvis({ dataDir, model: scripted(stalls('Hm, ')) })
  const first = await before.connect()
  const { sessionId } = await first.ask('chat:send', { message: 'One.' })
  await first.next('chat:token')
  await first.ask('chat:send', { sessionId, message: 'Two.' })
  await before.stop()

  const model = scripted(says('Answer one.'), says('Answer two.'))
  const after = await startJarvis({ dataDir, model })
  const second = await after.connect()
  const { snapshot } = await second.ask('chat:attach', { sessionId })
  const ended = snapshot.entries.filter(({ type }) => type === 'done').length
  for (let left = 2 - ended; left > 0; left -= 1) await second.next('chat:done')
  // The half that was shown is kept, marked as broken off, and the model goes on from there.
  expect(model.requests[0]?.messages).toMatchObject([
    { role: 'user', text: 'One.' },
    { role: 'assistant', content: [{ type: 'text', text: 'Hm, ' }] },
    { role: 'user', text: expect.stringContaining('restarted') },
  ])
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ text: 'Two.' })
  expect(snapshot.entries).toContainEqual(expect.objectContaining({ type: 'assistant', stopReason: 'interrupted' }))
})

test('a repeated requestId is known after a restart', async () => {
  const dataDir = keptDir()
  const before = await startJarvis({ dataDir, model: scripted(says('Once.')) })
  const first = await before.connect()
  const sent = await first.ask('chat:send', { message: 'Hello.', requestId: 'req-7' })
  await first.next('chat:done')
  await before.stop()
  const after = await startJarvis({ dataDir })
  const second = await after.connect()
  expect(await second.ask('chat:send', { message: 'Hello.', requestId: 'req-7' })).toEqual(sent)
})
