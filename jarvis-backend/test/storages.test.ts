import type { StorageReply } from 'protocol'
import { expect, test } from 'vitest'
import { useJarvis } from './support/use-jarvis.ts'

const jarvis = useJarvis()

test('the volumes on a storage are listed, largest first; a storage whose node is away says so', async () => {
  const of = async (path: string) => (await (await jarvis.rest(`/api/storages/${path}`)).json()) as StorageReply
  const fast = await of('nvme-fast?node=pve')
  expect(fast).toMatchObject({ total: fast.items?.length, missing: [] })
  expect(fast.items).toContainEqual(expect.objectContaining({ id: expect.stringContaining('nvme-fast:'), vmid: 123 }))
  const sizes = fast.items?.map(({ sizeBytes = 0 }) => sizeBytes) ?? []
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
  // Shared: read through any node that answers.
  expect((await of('tank-nfs')).items).not.toBeNull()
  for (const path of ['local-zfs', 'local-zfs?node=pve9', 'none', '__proto__'])
    expect((await jarvis.rest(`/api/storages/${path}`)).status, path).toBe(404)

  jarvis.controls.setNodeOffline('agent1', true)
  expect(await of('local-zfs?node=agent1')).toEqual({ items: null, total: 0, missing: ['no node of it answers'] })
  jarvis.controls.setNodeOffline('agent1', false)
})
