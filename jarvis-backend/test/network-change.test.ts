import { systemClock } from 'node-kit/clock'
import type { Card, Change } from 'protocol'
import { expect, test } from 'vitest'
import type { Clock } from '../src/lib/clock.ts'
import { folder } from './support/data-dir.ts'
import { createFakeClock, noon } from './support/fake-clock.ts'
import { scripted } from './support/scripted-model.ts'
import { createSimulator } from './support/simulator.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const minuteMs = 60_000
const changesOf = async (jarvis: TestJarvis) =>
  ((await (await jarvis.rest('/api/changes')).json()) as { items: Change[] }).items
const post = (jarvis: TestJarvis, path: string) => jarvis.rest(`/api/changes/${path}`, { method: 'POST', json: {} })
const journalOf = async (jarvis: TestJarvis) =>
  ((await (await jarvis.rest('/api/journal?limit=100')).json()) as { items: { kind: string; body: unknown }[] }).items

/** Nodes of the demo with timers of their own, in whose network `pve` may be cut off. */
async function demo(options: { clock?: Clock; speed?: number; hasTimers?: boolean } = {}) {
  const { clock = systemClock } = options
  const dataDir = folder()
  const { networkTimers, ...bare } = createSimulator({
    clock,
    protectedTargets: new Set(),
    speed: options.speed ?? 1_000,
  })
  const homelab = options.hasTimers === false ? bare : { ...bare, ...(networkTimers && { networkTimers }) }
  const start = () => startJarvis({ homelab, clock, dataDir, model: scripted() })
  const jarvis = await start()
  const network = () => bare.api.get(['nodes', 'pve', 'network', 'vmbr0'], {}, { signal: AbortSignal.timeout(60_000) })
  return { homelab, start, jarvis, network, screen: await jarvis.connect() }
}
type Demo = Awaited<ReturnType<typeof demo>>

/** Asks for another address of `pve`, and approves its card. */
async function moved({ screen }: Pick<Demo, 'screen'>, cidr: string, more: { goesBackAfterMin?: number } = {}) {
  const text = `/set_node_network node=pve iface=vmbr0 set={"cidr":"${cidr}"}`
  const { sessionId } = await screen.ask('chat:send', { message: text })
  const card = await screen.next('chat:confirm_needed')
  const answer = await screen.request('chat:confirm', {
    sessionId,
    toolUseId: card.toolUseId,
    confirmed: true,
    ...more,
  })
  return { card, answer, sessionId }
}

test('a change that cuts its node off is put back by the node, and JARVIS finds that once it reaches it', async () => {
  const clock = createFakeClock(noon())
  const on = await demo({ clock, speed: 1 })
  /** Time goes on by seconds until it is so. */
  const inTime = (isSo: () => unknown) => expect.poll(() => clock.advance(1_000).then(isSo), { interval: 1 })
  const { card } = await moved(on, '192.168.7.12/24', { goesBackAfterMin: 10 })
  expect(card).toMatchObject({
    tier: 'red',
    sentence: 'The interface vmbr0 of pve gets cidr 192.168.7.12/24.',
    now: 'cidr: 10.0.4.12/24',
    mayGoBack: true,
    affects: expect.stringContaining('pve itself puts its network back'),
    undo: { kind: 'call', sentence: 'Cidr goes back to 10.0.4.12/24.' },
  })
  const status = () => on.homelab.cluster.state().nodes.find(({ name }) => name === 'pve')?.status
  await inTime(status).toBe('offline')
  const change = async () => (await changesOf(on.jarvis)).find(({ id }) => id === card.toolUseId)
  // The node is silent for too long.
  await clock.advance(40_000)
  expect(await on.screen.next('chat:tool_result')).toMatchObject({ isError: true, isUnknown: true })
  expect(await change()).toMatchObject({ state: 'armed', timerOn: 'pve' })
  expect(await (await post(on.jarvis, `${card.toolUseId}/keep`)).json()).toMatchObject({
    error: { message: expect.stringContaining('pve cannot be asked, so its timer still takes the change back') },
  })
  await clock.advance(9 * minuteMs)
  expect(status()).toBe('offline')
  await inTime(status).toBe('online')
  expect(await (await post(on.jarvis, `${card.toolUseId}/keep`)).json()).toMatchObject({
    error: { message: 'pve has put it back already, by its own timer.' },
  })

  await on.jarvis.stop()
  await clock.advance(minuteMs)
  const after = await on.start()
  const afterwards = async () => (await changesOf(after)).find(({ id }) => id === card.toolUseId)?.state
  await inTime(afterwards).toBe('undone')
  expect(await on.network()).toMatchObject({ cidr: '10.0.4.12/24' })
  expect(JSON.stringify(await journalOf(after))).toContain('put back by the node itself')
  expect(await (await after.rest('/api/journal/verify')).json()).toMatchObject({ ok: true })
})

test('Keep disarms the timer of the node, and an undo before the time too: each has one winner', async () => {
  const on = await demo()
  const disarmed: string[] = []
  const { networkTimers } = on.homelab as typeof on.homelab & { networkTimers: { disarm: (...a: never[]) => unknown } }
  const { disarm } = networkTimers
  networkTimers.disarm = async (...args: never[]) => {
    const end = await disarm(...args)
    disarmed.push(String(end))
    return end
  }
  const kept = await moved(on, '10.0.4.12/23', { goesBackAfterMin: 1_440 })
  expect(await on.screen.next('chat:tool_result')).toMatchObject({
    isError: false,
    data: { ok: true, isTimerArmed: true },
  })
  await on.screen.next('chat:done')
  expect((await post(on.jarvis, `${kept.card.toolUseId}/keep`)).status).toBe(200)
  expect((await post(on.jarvis, `${kept.card.toolUseId}/keep`)).status).toBe(409)

  const undone = await moved(on, '10.0.4.12/22', { goesBackAfterMin: 1_440 })
  await on.screen.next('chat:tool_result')
  await on.screen.next('chat:done')
  // The approval of the card is the approval of going back, so no second card comes.
  expect((await post(on.jarvis, `${undone.card.toolUseId}/undo`)).status).toBe(200)
  const stateOf = async (id: string) => (await changesOf(on.jarvis)).find((change) => change.id === id)?.state
  await expect.poll(() => stateOf(undone.card.toolUseId)).toBe('undone')
  expect(await stateOf(kept.card.toolUseId)).toBe('made')
  expect(disarmed).toEqual(['disarmed', 'disarmed'])
  expect(await on.network()).toMatchObject({ cidr: '10.0.4.12/23' })
})

test('without SSH the card says that nothing takes the change back, and what that means', async () => {
  const on = await demo({ hasTimers: false })
  const { card, answer } = await moved(on, '10.0.4.12/23', { goesBackAfterMin: 10 })
  expect(answer).toMatchObject({ ok: false, error: { message: expect.stringContaining('cannot go back by itself') } })
  expect(card).not.toHaveProperty('mayGoBack')
  expect((card as Card).affects).toBe(
    'No timer can be armed on pve: SSH is not set up. If the change cuts pve off, nothing takes it back: somebody must do that at its console.',
  )
})

test.each([
  ['iface=vmbr9 set={"cidr":"10.0.4.12/23"}', 'iface: pve has no interface vmbr9. There are: enp1s0, vmbr0.'],
  ['iface=vmbr0 set={"cidr":"10.0.4.12"}', 'set: cidr must be an IPv4 address with its prefix, as in 10.0.4.11/24.'],
  ['iface=vmbr0 set={"post-up":"reboot"}', 'set: JARVIS does not change post-up; it changes cidr,'],
  ['iface=vmbr0 set={"comments":"a\\npost-up reboot"}', 'set: comments must be one line of at most 200 characters.'],
  ['iface=enp1s0 set={"gateway":"10.0.4.1"}', 'set: vmbr0 has the default gateway already.'],
  ['iface=vmbr0 set={"cidr":"10.0.4.12/24"}', 'set: all of it is so already: nothing needs to be done.'],
  ['iface=vmbr0 set={"cidr":"10.0.4.13/24"}', 'set: 10.0.4.13 is the address of vmbr0 on agent1.'],
  ['iface=vmbr0 remove=["mtu"]', 'remove: mtu is not set.'],
  ['iface=vmbr0', 'set: neither set nor remove names a key.'],
])('%s is refused before anything is sent', async (args, message) => {
  const on = await demo()
  await on.screen.ask('chat:send', { message: `/set_node_network node=pve ${args}` })
  expect(await on.screen.next('chat:tool_result')).toMatchObject({
    isError: true,
    summary: expect.stringContaining(message),
  })
  expect(on.homelab.controls.effects.filter(({ kind }) => kind === 'api')).toEqual([])
})

test('what somebody else has staged is never brought in force', async () => {
  const on = await demo()
  const calm = { signal: AbortSignal.timeout(60_000) }
  await on.homelab.api.change(
    { method: 'PUT', path: ['nodes', 'pve', 'network', 'enp1s0'], form: { type: 'eth', mtu: '9000' } },
    calm,
  )
  const ask = (message: string) => on.screen.ask('chat:send', { message })
  await ask('/set_node_network node=pve iface=vmbr0 set={"mtu":9000}')
  expect(await on.screen.next('chat:tool_result')).toMatchObject({
    isError: true,
    summary: expect.stringContaining('changes of pve’s network are staged already'),
  })
  await on.screen.next('chat:done')
  await ask('/get_node_network node=pve')
  expect(await on.screen.next('chat:tool_result')).toMatchObject({
    result: expect.stringContaining('Staged, and not in force yet:'),
    data: { staged: expect.stringContaining('+\tmtu 9000') },
  })
})
