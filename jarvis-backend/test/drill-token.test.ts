import type { PveApi } from 'homelab-ports/ports'
import { drillPool } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { drillReads, drillRights } from '../src/drill/rights.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { drillsOver, ids } from './drill/drills-over.ts'
import { startProxmox } from './support/start-proxmox.ts'

const calm = () => ({ signal: AbortSignal.timeout(60_000) })
const own = { tokenId: 'jarvis-drill@pve!drill', tokenSecret: '99999999-1111-2222-3333-444444444444' }
const all = (rights: readonly string[]) => Object.fromEntries(rights.map((right) => [right, 1] as const))

/** A cluster whose main token reads alone, and the drill's own token with what its line gives, less `without`. */
async function drilling(without?: string) {
  const mine = all(drillRights.filter((right) => right !== without))
  const range = Array.from({ length: ids.last - ids.first + 1 }, (_, n) => [`/vms/${ids.first + n}`, mine] as const)
  const { cluster, read } = await startProxmox({ denyDelayMs: 10, proxyDelayMs: 10 }, async ({ control }) => {
    const reads = all(drillReads.filter((right) => right !== without))
    await control.addToken(`${own.tokenId}=${own.tokenSecret}`, {
      '/': reads,
      [`/pool/${drillPool}`]: mine,
      ...Object.fromEntries(range),
    })
    await control.setRights({
      '/': all(['Sys.Audit', 'VM.Audit', 'VM.Backup', 'Datastore.Audit', 'Datastore.AllocateSpace']),
    })
    return { drillToken: own }
  })
  await read()
  const { drillApi } = cluster as typeof cluster & { drillApi: PveApi }
  const database = openDatabase(':memory:')
  onTestFinished(() => database.close())
  return { drillApi, cluster, ...drillsOver({ api: drillApi, cluster }, database, { hasOwnToken: true }) }
}

test('the drill’s own token is enough for a drill, and Proxmox lets it touch no other guest', async () => {
  const { cluster, drillApi, run } = await drilling()
  const proven = (...not: string[]) => ({
    verdict: 'proven',
    level: 5,
    step: 'ended',
    notProven: expect.arrayContaining(not.map((words) => expect.stringContaining(words))),
  })
  expect(await run(100)).toMatchObject(proven('the backup server has not verified them yet'))
  expect(await run(200)).toMatchObject(proven('only a backup server verifies them'))
  expect(await run(101)).toMatchObject(proven('that the backup is fresh: it is 5 d old'))
  for (const [method, path] of [
    ['DELETE', ['nodes', 'pve1', 'qemu', 102]],
    ['POST', ['nodes', 'pve1', 'qemu', 100, 'status', 'stop']],
    ['PUT', ['nodes', 'pve1', 'qemu', 100, 'config']],
  ] as const) {
    const form: Record<string, string> = method === 'PUT' ? { description: 'mine' } : {}
    await expect(drillApi.change({ method, path, form }, calm()), path.join('/')).rejects.toMatchObject({ status: 403 })
    await expect(cluster.api.change({ method, path, form }, calm()), path.join('/')).rejects.toMatchObject({
      status: 403,
    })
  }
})

test.each([
  ['VM.Allocate', 'VM.Allocate'],
  ['VM.PowerMgmt', 'VM.PowerMgmt'],
  ['Datastore.AllocateSpace', 'Datastore'],
])('without %s a drill says which right is missing, proves nothing, and leaves nothing', async (right, said) => {
  const { cluster, run, store, said: told } = await drilling(right)
  const drill = await run(100).catch((error: Error) => ({ verdict: 'refused', problem: error.message }))
  expect(drill.verdict).not.toBe('proven')
  expect(`${drill.problem} ${told.join()}`).toContain(said)
  expect(store.proofs(100).filter(({ verdict }) => verdict === 'proven')).toEqual([])
  expect(store.open()).toBeUndefined()
  await cluster.readAfresh?.()
  expect(cluster.state().guests.filter(({ vmid }) => vmid >= ids.first && vmid <= ids.last)).toEqual([])
})
