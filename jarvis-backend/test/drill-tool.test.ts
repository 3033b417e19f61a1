import type { ProofsReply } from 'protocol'
import { expect, test } from 'vitest'
import { says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

test('a drill asks, says what it does, runs on approval, and is among the proofs', async () => {
  const jarvis = await startJarvis({ model: scripted(says('Noted.')) })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: '/drill_restore vmid=131' })
  const card = await screen.next('chat:confirm_needed')
  expect(card).toMatchObject({
    toolName: 'drill_restore',
    now: expect.stringContaining('Newest backup'),
    then: expect.stringContaining('every network interface down'),
    affects: expect.stringContaining('no token of its own'),
    undo: { kind: 'none', sentence: expect.stringContaining('removes its own copy') },
  })
  await screen.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
  expect(await screen.next('chat:tool_result')).toMatchObject({ isError: false, summary: 'level 5: booted' })
  const proofs = (await (await jarvis.rest('/api/proofs')).json()) as ProofsReply
  expect(proofs).toMatchObject({ items: [{ vmid: 131, level: 5, verdict: 'proven' }], open: null })
  expect(jarvis.homelab.cluster.state().guests.some(({ vmid }) => vmid >= 990_000)).toBe(false)
})

test('a guest that reaches its node is refused before anybody is asked', async () => {
  const jarvis = await startJarvis({ model: scripted(says('Noted.')) })
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: '/drill_restore vmid=101' })
  expect(await screen.next('chat:tool_result')).toMatchObject({
    isError: true,
    summary: expect.stringContaining('usb0 is a device of the node'),
  })
})
