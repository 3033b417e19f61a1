import { type FakeProxmox, startFakeProxmox } from 'fake-proxmox/server'
import { scaledClock } from 'fake-proxmox/server/scaled-clock'
import type { FakeOptions } from 'fake-proxmox/server/world'
import type { Shell } from 'homelab-ports/ports'
import type { ClusterState } from 'protocol'
import { onTestFinished } from 'vitest'
import { createProxmox, type ProxmoxOptions, usualDeadlines } from '../../src/homelab/connect.ts'
import { createJumpingClock } from './jumping-clock.ts'

/** The client's usual options, with a guest that is like this from the start: no look can be older than the change. */
export const withGuest = (vmid: number, change: Record<string, unknown>) => async (fake: FakeProxmox) => {
  await fake.control.changeGuest(vmid, change)
  return {}
}

/** Every node says it is at 54 °C. */
const sensors = JSON.stringify({
  'coretemp-isa-0000': { Adapter: 'ISA adapter', 'Package id 0': { temp1_input: 54, temp1_max: 100 } },
})
const warm: Shell = { run: async () => ({ stdout: sensors, stderr: '', exitCode: 0, truncated: false }) }

export const calm = () => ({ signal: new AbortController().signal })

export const connectionTo = ({ urls, fingerprints, tokenId, tokenSecret }: FakeProxmox) => ({
  urls,
  fingerprints,
  ca: undefined as string | undefined,
  tokenId,
  tokenSecret,
})

/**
 * The client, with a fake cluster. Both end with the test. Their time jumps to what comes next when both wait; where a `speed` is given, it
 * runs with the machine's, so many times as fast.
 */
export async function startProxmox(
  fakeOptions: Partial<FakeOptions> = {},
  /** Changes the fake before the client looks at it first, and gives the client's options. */
  makeOptions: (fake: FakeProxmox) => Partial<ProxmoxOptions> | Promise<Partial<ProxmoxOptions>> = () => ({}),
) {
  const anchor = Date.now()
  const { speed } = fakeOptions
  const clock = speed === undefined ? createJumpingClock(anchor) : scaledClock(anchor, speed)
  const delays = { proxyDelayMs: 200, denyDelayMs: 50 }
  const fake = await startFakeProxmox({ anchor, ...(speed === undefined && { clock }), ...delays, ...fakeOptions })
  onTestFinished(fake.stop)
  const made = await makeOptions(fake)
  const cluster = createProxmox({
    connection: connectionTo(fake),
    shell: warm,
    clock,
    protectedTargets: new Set(['node/pve1', 'vm/101']),
    host: { name: 'elsewhere', macs: new Set(), isProxmox: false },
    ...made,
    ...(speed === undefined && { deadlines: { ...usualDeadlines, clock, ...made.deadlines } }),
  })
  onTestFinished(() => cluster.close())
  /** Resolves with the first state, now or later, that is so. */
  const until = (isSo: (state: ClusterState) => boolean): Promise<ClusterState> =>
    new Promise((resolve) => {
      const look = () => {
        const state = cluster.state()
        if (!isSo(state)) return
        stop()
        resolve(state)
      }
      const stop = cluster.watch(look)
      look()
    })
  return { fake, cluster, clock, until, read: () => until(({ nodes }) => nodes.length > 0) }
}
