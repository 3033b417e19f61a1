import { describe, onTestFinished } from 'vitest'
import type { Shell } from '../src/homelab/ports.ts'
import { createProxmox, type ProxmoxOptions } from '../src/homelab/proxmox/index.ts'
import { clusterContract } from './contracts/cluster.ts'
import { scaledClock } from './fake-proxmox/scaled-clock.ts'
import { type FakeProxmox, startFakeProxmox } from './fake-proxmox/start.ts'
import type { FakeOptions } from './fake-proxmox/world.ts'

/** Cluster time runs so many times as fast. */
const speed = 25

const sensors = JSON.stringify({
  'coretemp-isa-0000': { Adapter: 'ISA adapter', 'Package id 0': { temp1_input: 54, temp1_max: 100 } },
})
const shell: Shell = {
  run: async () => ({ stdout: sensors, stderr: '', exitCode: 0, truncated: false }),
}

async function start(fakeOptions: Partial<FakeOptions> = {}, options: Partial<ProxmoxOptions> = {}) {
  const anchor = Date.now()
  const fake = await startFakeProxmox({ anchor, speed, proxyDelayMs: 200, denyDelayMs: 50, ...fakeOptions })
  onTestFinished(fake.stop)
  const cluster = createProxmox({
    connection: connectionTo(fake),
    shell,
    clock: scaledClock(anchor, speed),
    protectedTargets: new Set(['node/pve1', 'vm/101']),
    host: { name: 'elsewhere', macs: new Set(), isProxmox: false },
    ...options,
  })
  onTestFinished(() => cluster.close())
  const until = (isSo: () => boolean) =>
    new Promise<void>((resolve) => {
      if (isSo()) return resolve()
      const stop = cluster.watch(() => {
        if (!isSo()) return
        stop()
        resolve()
      })
    })
  return { fake, cluster, until }
}

const connectionTo = ({ urls, fingerprints, tokenId, tokenSecret }: FakeProxmox) => ({
  urls,
  fingerprints,
  ca: undefined,
  tokenId,
  tokenSecret,
})

describe('the Proxmox client keeps the contract', () => {
  clusterContract(async () => {
    const { fake, cluster, until } = await start()
    await until(() => cluster.state().nodes.length > 0)
    return {
      cluster,
      settle: (promise) => promise,
      node: 'pve1',
      lostNode: 'pve4',
      runningVm: 100,
      runningCt: 200,
      stoppedVm: 102,
      guestOnLostNode: 300,
      backedUp: 100,
      async loseNode() {
        await fake.control.addTask('pve1', 'aptupdate', '', 'OK')
        await fake.control.setNode('pve4', false)
        await until(() => cluster.state().missing.includes('pve4 is offline'))
      },
      lock: async (vmid, lock) => void (await fake.control.changeGuest(vmid, { lock })),
      ignoreNextShutdown: async (vmid) => void (await fake.control.changeGuest(vmid, { isDeaf: true })),
    }
  })
})
