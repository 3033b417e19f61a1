import { expect, test } from 'vitest'
import { says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'
import { startProxmox } from './support/start-proxmox.ts'

/** JARVIS with the fake cluster behind it. Nobody watches, so that by itself it reads the cluster every 25 s only. */
async function start(speed?: number) {
  const proxmox = await startProxmox(speed === undefined ? {} : { speed })
  const { cluster, clock } = proxmox
  await proxmox.until(({ guests }) => guests.some(({ status }) => status === 'paused'))
  const jarvis = await startJarvis({
    clock,
    model: scripted(says('Noted.')),
    remote: {
      api: cluster.api,
      cluster,
      shell: { run: async () => ({ stdout: '', stderr: '', exitCode: 0, truncated: false }) },
      waker: { wake: async () => ({ cameOnline: true, wasOnline: true, afterMs: 0 }) },
    },
  })
  const screen = await jarvis.connect()
  /** Runs a command that asks by one card, approves it, and gives the card with the result. */
  async function approved(message: string) {
    const { sessionId } = await screen.ask('chat:send', { message })
    const card = await screen.next('chat:confirm_needed')
    const reply = await screen.request('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
    expect(reply, message).toMatchObject({ ok: true })
    const result = await screen.next('chat:tool_result')
    expect(result, message).toMatchObject({ toolUseId: card.toolUseId, isError: false })
    return card
  }
  async function carriedOut(message: string) {
    await screen.ask('chat:send', { message })
    return screen.next('chat:tool_result')
  }
  const sent = async () => (await proxmox.fake.control.changes()).map(({ method, path }) => `${method} ${path}`)
  return { ...proxmox, screen, approved, carriedOut, sent }
}

test('after its own move JARVIS knows where a guest is: undo, a setting and a start go to its node', async () => {
  const { approved, carriedOut, sent } = await start()
  const { toolUseId } = await approved('/migrate_guest vmid=102 target=pve2')
  expect(await approved(`/undo change="${toolUseId}"`)).toMatchObject({ target: { node: 'pve2' } })
  expect(await approved('/migrate_guest vmid=102 target=pve2')).toMatchObject({ target: { node: 'pve1' } })
  expect(await carriedOut('/set_guest_config vmid=102 set={"description":"moved"}')).toMatchObject({ isError: false })
  expect(await approved('/start_vm vmid=102')).toMatchObject({ target: { node: 'pve2', status: 'stopped' } })
  expect(await sent()).toEqual([
    'POST /nodes/pve1/qemu/102/migrate',
    'POST /nodes/pve2/qemu/102/migrate',
    'POST /nodes/pve1/qemu/102/migrate',
    'PUT /nodes/pve2/qemu/102/config',
    'POST /nodes/pve2/qemu/102/status/start',
  ])
})

test('a guest that JARVIS made, named or destroyed is known at once by its name and status', async () => {
  const { approved, carriedOut, cluster } = await start()
  await approved('/clone_guest vmid=102 newId=390 name="copy"')
  expect(await approved('/start_vm vmid=390')).toMatchObject({ target: { name: 'copy', status: 'stopped' } })
  await approved('/set_guest_config vmid=390 set={"name":"renamed"}')
  expect(await approved('/stop_vm vmid=390')).toMatchObject({ target: { name: 'renamed', status: 'running' } })
  await approved('/destroy_guest vmid=390 name="renamed"')
  expect(cluster.state().guests.some(({ vmid }) => vmid === 390)).toBe(false)
  expect(await carriedOut('/start_vm vmid=390')).toMatchObject({
    isError: true,
    result: expect.stringContaining('no guest 390'),
  })
  await approved(
    '/create_guest type="vm" newId=390 name="anew" node="pve1" source="local:iso/debian-13.2.0-amd64-netinst.iso" storage="local-zfs" diskGib=8 cores=1 memoryMib=512',
  )
  expect(await approved('/start_vm vmid=390')).toMatchObject({ target: { name: 'anew', status: 'stopped' } })
})

test('a guest that somebody else just made or moved is looked for before a call is refused', async () => {
  const { approved, carriedOut, fake, sent } = await start()
  await fake.control.changeGuest(102, { node: 'pve3' }, false)
  const told = await carriedOut('/set_guest_config vmid=102 set={"description":"theirs"}')
  expect(told).toMatchObject({ isError: false, result: expect.stringContaining('Configured now') })
  expect(await sent()).toEqual(['PUT /nodes/pve3/qemu/102/config'])
  await fake.control.addGuest({ vmid: 391, type: 'qemu', name: 'theirs', node: 'pve2', status: 'stopped' })
  expect(await approved('/start_vm vmid=391')).toMatchObject({ target: { name: 'theirs', status: 'stopped' } })
})

test('the first card after somebody else moved a guest names its new node, and its approval counts', async () => {
  const { approved, cluster, fake, sent } = await start(2)
  await cluster.readAfresh?.()
  await fake.control.changeGuest(102, { node: 'pve3' }, false)
  expect(await approved('/start_vm vmid=102')).toMatchObject({ target: { node: 'pve3' } })
  expect(await sent()).toEqual(['POST /nodes/pve3/qemu/102/status/start'])
})
