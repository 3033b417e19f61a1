import { samplesOf } from 'homelab-ports/samples'
import { usualLimits } from 'protocol'
import { nodeRamTone, ramOf } from 'protocol/facts'
import { expect, test } from 'vitest'
import { startProxmox } from './support/start-proxmox.ts'

const gib = 1024 ** 3

test('ZFS’s cache counts as used neither in a panel’s colour nor in samples', async () => {
  const { until } = await startProxmox({ nodes: 1, guests: 0 }, async ({ control }) => {
    const text = JSON.stringify({ data: [{ time: 60, arcsize: 15 * gib }, { time: 120 }] })
    await control.addFault({ kind: 'says', match: '/nodes/node01/rrddata', text, times: 1_000 })
    return {}
  })
  const state = await until(({ nodes }) => nodes[0]?.ramCacheBytes !== undefined)
  expect(state.nodes[0]).toMatchObject({ ramBytes: 20 * gib, ramTotalBytes: 64 * gib, ramCacheBytes: 15 * gib })
  expect(ramOf(state.nodes)).toBeCloseTo(5 / 64, 3)
  const ratios = samplesOf(state).flatMap(({ name, values }) => (name === 'storage' ? [] : values))
  expect(ratios).not.toContain(20 / 64)
  const [node] = state.nodes
  const full = { ...(node ?? never()), ramBytes: 62 * gib }
  expect(nodeRamTone({ ...full, ramCacheBytes: 40 * gib }, usualLimits)).toBeUndefined()
  expect(nodeRamTone({ ...full, ramCacheBytes: 0 }, usualLimits)).toBeDefined()
})

function never(): never {
  throw new Error('no node')
}
