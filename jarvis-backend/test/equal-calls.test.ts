import { expect, test } from 'vitest'
import { calls, says } from './support/scripted-model.ts'
import { useJarvis } from './support/use-jarvis.ts'

const jarvis = useJarvis()

test('a change that stands twice in one turn asks and runs once', async () => {
  jarvis.plays(calls(['stop_vm', { vmid: 103 }], ['stop_vm', { vmid: 103 }]), says('Stopped.'))
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Stop 103.' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: true })
  await screen.next('chat:done')
  expect(jarvis.guest(103)?.status).toBe('stopped')
})
