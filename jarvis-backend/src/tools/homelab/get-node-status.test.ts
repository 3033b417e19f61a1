import type { Cluster } from 'homelab-ports/ports'
import { expect, test } from 'vitest'
import { diskOf } from '../../homelab/format.ts'
import { getNodeStatus } from './get-node-status.ts'
import type { HomelabPorts } from './homelab-tool.ts'

test('what a node does not say is called not known, never zero', async () => {
  const cluster = { nodeDetail: async () => ({ name: 'pve', cpuCount: 8 }), state: () => ({ guests: [] }) }
  const ports = { cluster: cluster as unknown as Cluster } as HomelabPorts
  const output = await getNodeStatus.run({ node: 'pve' }, { signal: new AbortController().signal } as never, ports)
  expect(output).toMatchObject({
    text: 'pve: CPU not known of 8, load not known\nmemory not known, root disk not known, up not known\nversion not known, kernel not known\nGuests: 0 of 0 running',
    summary: 'CPU not known, memory not known',
    data: { name: 'pve', cpuCount: 8 },
  })
})

test.each([
  [1.69 * 1024 ** 4, '1.69 TiB'],
  [358 * 1024 ** 3, '358 GiB'],
  [41.3 * 1024 ** 2, '41 MiB'],
  [1_400, '1 KiB'],
  [0, '0 KiB'],
])('%d bytes of a disk are %s', (bytes, text) => {
  expect(diskOf(bytes)).toBe(text)
})
