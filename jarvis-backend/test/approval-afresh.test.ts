import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FakeProxmox } from 'fake-proxmox/server'
import type { Cluster } from 'homelab-ports/ports'
import { expect, test } from 'vitest'
import { folder } from './support/data-dir.ts'
import { failingRows } from './support/failing-rows.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'
import { startProxmox } from './support/start-proxmox.ts'

type Options = {
  turns?: Parameters<typeof scripted>
  policy?: string
  beforeRequest?(fake: FakeProxmox): Promise<unknown>
  waitMs?: number
}

/** JARVIS with the fake cluster behind it, and VM 100 "web" on pve1 about to be stopped. */
async function start({ turns = [], policy, beforeRequest, waitMs = 0 }: Options = {}) {
  const proxmox = await startProxmox()
  const { fake, cluster, clock } = proxmox
  // A card that was made before would be withdrawn for it.
  await proxmox.until(({ guests }) => guests.some(({ status }) => status === 'paused'))
  const power: Cluster['power'] = async (...args) => {
    await beforeRequest?.(fake)
    if (waitMs > 0) await new Promise<void>((passed) => clock.after(waitMs, passed))
    return cluster.power(...args)
  }
  const dataDir = folder()
  if (policy !== undefined) writeFileSync(join(dataDir, 'policy.yaml'), policy)
  const jarvis = await startJarvis({
    clock,
    model: scripted(calls(['stop_vm', { vmid: 100 }]), ...turns, says('Noted.')),
    dataDir,
    remote: {
      api: cluster.api,
      cluster: { ...cluster, power },
      shell: { run: async () => ({ stdout: '', stderr: '', exitCode: 0, truncated: false }) },
      waker: { wake: async () => ({ cameOnline: true, wasOnline: true, afterMs: 0 }) },
    },
  })
  const screen = await jarvis.connect()
  const asked = async () => {
    await screen.ask('chat:send', { message: 'Please.' })
    return screen.next('chat:confirm_needed')
  }
  const decide = ({ sessionId, toolUseId }: Awaited<ReturnType<typeof asked>>) =>
    screen.request('chat:confirm', { sessionId, toolUseId, confirmed: true })
  return { ...proxmox, jarvis, screen, asked, decide }
}

const changes: [string, (fake: FakeProxmox) => Promise<unknown>, RegExp][] = [
  ['moved', (fake) => fake.control.changeGuest(100, { node: 'pve2' }), /on pve2 now/],
  ['renamed', (fake) => fake.control.changeGuest(100, { name: 'another' }, false), /another/],
  ['replaced by a container', (fake) => fake.control.changeGuest(100, { type: 'lxc' }), /container|ct web/],
]
const made: (typeof changes)[number] = [
  'made anew',
  (fake) => fake.control.addTask({ node: 'pve1', type: 'qmrestore', id: '100' }, 'OK'),
  /was made, restored or rolled back/,
]

const nameOf = ([what]: readonly [string, ...unknown[]]) => what

test('of a guest that is another just before the approval nothing is requested, and the difference is said', async () => {
  const judge = async ([, change, said]: (typeof changes)[number]) => {
    const { fake, asked, decide } = await start()
    const card = await asked()
    await change(fake)
    const reply = await decide(card)
    expect(reply).toMatchObject({ ok: false, error: { code: 'expired', message: expect.stringMatching(said) } })
    expect(await fake.control.changes()).toEqual([])
  }
  expect(await failingRows([...changes, made], judge, nameOf)).toEqual([])
})

test('a guest that becomes another between approval and request is left alone', async () => {
  const judge = async ([, change, said]: (typeof changes)[number]) => {
    const { fake, screen, asked, decide } = await start({ beforeRequest: change, waitMs: 1_000 })
    expect(await decide(await asked())).toMatchObject({ ok: true })
    const result = await screen.next('chat:tool_result')
    expect(result).toMatchObject({ isError: true, result: expect.stringMatching(said) })
    expect(result.result).toContain('Nothing was done')
    expect(await fake.control.changes()).toEqual([])
  }
  expect(await failingRows(changes, judge, nameOf)).toEqual([])
})

const gone: [string, (fake: FakeProxmox) => Promise<unknown>][] = [
  ['the guest is gone', (fake) => fake.control.setRights({ '/': { 'Sys.Audit': 0 }, '/nodes': { 'Sys.Audit': 1 } })],
  ['its node is gone', (fake) => fake.control.setNode('pve1', false)],
]
test('where the guest or its node is gone at the approval, nothing is requested', async () => {
  const judge = async ([, change]: (typeof gone)[number]) => {
    const { fake, asked, decide } = await start()
    const card = await asked()
    await change(fake)
    const reply = await decide(card)
    expect(reply).toMatchObject({ ok: false, error: { code: expect.stringMatching(/expired|cluster_unreachable/) } })
    expect(await fake.control.changes()).toEqual([])
  }
  expect(await failingRows(gone, judge, nameOf)).toEqual([])
})

test('of two sessions’ cards for one guest the second is of a state that the first has ended', async () => {
  const { fake, screen, decide } = await start({ turns: [calls(['restart_vm', { vmid: 100 }]), says('Noted.')] })
  await screen.ask('chat:send', { message: 'Stop it.' })
  const first = await screen.next('chat:confirm_needed')
  await screen.ask('chat:send', { message: 'Restart it.' })
  const second = await screen.next('chat:confirm_needed')
  expect(await decide(first)).toMatchObject({ ok: true })
  await screen.next('chat:tool_result')
  const sent = await fake.control.changes()
  expect(sent).toHaveLength(1)
  expect(await decide(second)).toMatchObject({ ok: false })
  expect(await fake.control.changes()).toEqual(sent)
})

test('a request never goes to another node than the card’s', async () => {
  const { fake, screen, asked, decide } = await start({
    beforeRequest: ({ control }) => control.changeGuest(100, { node: 'pve2' }),
  })
  expect(await decide(await asked())).toMatchObject({ ok: true })
  expect(await screen.next('chat:tool_result')).toMatchObject({ isError: true })
  expect(await fake.control.changes()).not.toContainEqual(
    expect.objectContaining({ path: expect.stringMatching('pve2') }),
  )
  expect((await fake.control.guest(100)).status).toBe('running')
})

test('where the cluster cannot be read, an approval is refused with the reason and the card stays', async () => {
  const { fake, jarvis, screen, asked, decide } = await start()
  const card = await asked()
  await fake.control.addFault({ kind: 'closed', match: '/cluster/resources', times: 1_000 })
  const refused = {
    code: 'cluster_unreachable',
    message: expect.stringContaining('nothing was decided, the card still waits'),
  }
  expect(await decide(card)).toMatchObject({ ok: false, error: refused })
  const answer = await jarvis.rest(`/api/confirmations/${card.toolUseId}`, {
    method: 'POST',
    json: { confirmed: true },
  })
  expect([answer.status, await answer.json()]).toEqual([502, { error: refused }])
  const { snapshot } = await screen.ask('chat:attach', { sessionId: card.sessionId })
  expect(snapshot.pending).toHaveLength(1)
  expect(await fake.control.changes()).toEqual([])

  await fake.control.clearFaults()
  expect(await decide(card)).toMatchObject({ ok: true })
  expect(await screen.next('chat:tool_result')).toMatchObject({ isError: false })
})

test('without a quorum a card cannot be approved, stays, says why, and counts again once there is one', async () => {
  const { fake, screen, asked, decide, until } = await start()
  const card = await asked()
  for (const node of ['pve3', 'pve4']) await fake.control.setNode(node, false)
  await until(({ isQuorate }) => isQuorate === false)
  expect(await decide(card)).toMatchObject({
    ok: false,
    error: { code: 'cluster_unreachable', message: expect.stringContaining('The cluster has no quorum') },
  })
  const { snapshot } = await screen.ask('chat:attach', { sessionId: card.sessionId })
  expect(snapshot.pending).toHaveLength(1)
  expect(await fake.control.changes()).toEqual([])

  for (const node of ['pve3', 'pve4']) await fake.control.setNode(node, true)
  await until(({ isQuorate, nodes }) => isQuorate === true && nodes.every(({ status }) => status === 'online'))
  expect(await decide(card)).toMatchObject({ ok: true })
})

test('a call that needs no card is judged on the present state', async () => {
  const policy = 'allow: [{tool: stop_vm, target: vm/100, because: A test.}]'
  const { fake, asked } = await start({ policy })
  // By its name alone it may be where JARVIS runs, which asks.
  await fake.control.changeGuest(100, { name: 'jarvis' }, false)
  await asked()
  expect(await fake.control.changes()).toEqual([])
})

test('of a guest whose node does not answer, before the card and at the approval, nothing is approved and the card stays', async () => {
  const { fake, until, jarvis, screen, asked, decide } = await start()
  const isKnown = (known: boolean) =>
    until(({ guests }) => guests.some(({ vmid, status }) => vmid === 100 && (status !== 'unknown') === known))
  await fake.control.setNode('pve1', false)
  await isKnown(false)
  const card = await asked()
  expect(card).toMatchObject({
    now: expect.stringMatching(/^not known: pve1 does not answer/),
    then: expect.stringMatching(/^not known → stopped/),
    sentence: expect.stringMatching(/Whether it runs now is not known\.$/),
  })
  const refused = {
    code: 'cluster_unreachable',
    message:
      'Whether 100 runs is not known: pve1 does not answer. An approval needs to know what is so now: nothing was decided, the card still waits.',
  }
  expect(await decide(card)).toMatchObject({ ok: false, error: refused })
  const answer = await jarvis.rest(`/api/confirmations/${card.toolUseId}`, {
    method: 'POST',
    json: { confirmed: true },
  })
  expect([answer.status, await answer.json()]).toEqual([502, { error: refused }])
  expect((await screen.ask('chat:attach', { sessionId: card.sessionId })).snapshot.pending).toHaveLength(1)

  await fake.control.setNode('pve1', true)
  await isKnown(true)
  expect(await decide(card)).toMatchObject({
    ok: false,
    error: { code: 'expired', message: expect.stringMatching(/It is running now, not unknown\..* A new card shows/) },
  })
  expect(await fake.control.changes()).toEqual([])
  const next = await screen.next('chat:confirm_needed')
  expect(next).toMatchObject({ now: expect.stringMatching(/^running/), callId: card.toolUseId })
  expect(await decide(next)).toMatchObject({ ok: true })
  await screen.next('chat:tool_result')
  expect(await fake.control.changes()).toHaveLength(1)
})
