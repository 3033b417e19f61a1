import { ApiError } from 'homelab-ports/failure'
import type { PveApi } from 'homelab-ports/ports'
import { systemClock } from 'node-kit/clock'
import type { ClassifyReply, GuestReply, SnapshotConfigReply } from 'protocol'
import { expect, test } from 'vitest'
import { createSimulator } from './support/simulator.ts'
import { startJarvis } from './support/start-jarvis.ts'

test('a guest is read with its configuration, snapshots, backups and who needs it, and what cannot be read is named', async () => {
  const simulator = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 100 })
  const get: PveApi['get'] = (path, query, ask) =>
    path.at(-1) === 'config' && path.includes(105)
      ? Promise.reject(new ApiError('cluster_refused', 'The API token lacks a right: VM.Audit.', { status: 403 }))
      : simulator.api.get(path, query, ask)
  const jarvis = await startJarvis({ homelab: { ...simulator, api: { ...simulator.api, get } } })
  const { rest } = jarvis
  const signal = AbortSignal.timeout(60_000)
  const guestOf = async (vmid: number) => (await (await rest(`/api/guests/${vmid}`)).json()) as GuestReply
  const truenas = await guestOf(103)
  expect(truenas).toMatchObject({
    vmid: 103,
    config: { digest: expect.stringMatching(/^[0-9a-f]{40}$/), values: expect.objectContaining({ name: 'truenas' }) },
    snapshots: { items: expect.any(Array) },
    leansOn: ['Guests whose disks it serves may stall: by its name it is the storage'],
    isOwn: false,
  })
  expect(truenas.proof).toBeNull()
  expect((await guestOf(130)).leansOn).toEqual(['JARVIS may be cut off: by its name it may be where JARVIS runs'])
  expect((await rest('/api/guests/999')).status).toBe(404)
  expect((await rest('/api/guests/103?all=1')).status).toBe(400)

  // A snapshot's configuration and a change's card text can be read before any call is asked for.
  await simulator.api.change(
    { method: 'POST', path: ['nodes', 'pve', 'qemu', 103, 'snapshot'], form: { snapname: 'before' } },
    { signal },
  )
  await expect.poll(async () => (await rest('/api/guests/103/snapshots/before')).status).toBe(200)
  const kept = (await (await rest('/api/guests/103/snapshots/before')).json()) as SnapshotConfigReply
  expect(kept).toMatchObject({ name: 'before', values: { name: 'truenas' } })
  expect(Object.keys(kept.values)).not.toContain('digest')
  expect((await rest('/api/guests/103/snapshots/other')).status).toBe(404)
  expect((await rest('/api/guests/999/snapshots/before')).status).toBe(404)
  const classify = async (input: object) => {
    const options = { method: 'POST', json: { input } }
    return (await (await rest('/api/tools/set_guest_config/classify', options)).json()) as ClassifyReply
  }
  expect(await classify({ vmid: 103, set: { cores: '6' } })).toMatchObject({
    tier: 'red',
    preview: { now: 'cores: 4', then: expect.stringContaining('cores: 6'), undo: { kind: 'call' }, mayGoBack: true },
  })
  expect(await classify({ vmid: 103, set: { cores: 'six' } })).toEqual({
    tier: 'yellow',
    rule: 'invalid_arguments',
    reason: 'set: cores must be a whole number from 1.',
  })

  // One right less takes one part away, and is named; the other parts stay.
  const partial = await guestOf(105)
  expect(partial).toMatchObject({ config: null, snapshots: { items: expect.any(Array) } })
  expect(partial.missing).toContain('its configuration not visible to this token (it needs VM.Audit)')
})
