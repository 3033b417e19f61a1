import { describe } from 'vitest'
import { clusterContract } from './contracts/cluster.ts'
import { startProxmox } from './support/start-proxmox.ts'

describe('the Proxmox client keeps the contract', () => {
  clusterContract(async () => {
    const { fake, cluster, clock, until, read } = await startProxmox()
    await read()
    // While somebody watches it looks every 5 s, else every 25 s; what it saw 30 s ago is unknown, and a busy machine pauses.
    cluster.watch(() => {})
    return {
      cluster,
      now: clock.now,
      settle: (promise) => promise,
      node: 'pve1',
      lostNode: 'pve4',
      runningVm: 100,
      runningCt: 200,
      stoppedVm: 102,
      guestOnLostNode: 300,
      backedUp: 100,
      async loseNode() {
        await fake.control.addTask({ node: 'pve1', type: 'aptupdate', id: '' }, 'OK')
        await fake.control.setNode('pve4', false)
        await until(({ missing }) => missing.includes('pve4 is offline'))
      },
      lock: async (vmid, lock) => void (await fake.control.changeGuest(vmid, { lock })),
      ignoreNextShutdown: async (vmid) => void (await fake.control.changeGuest(vmid, { isDeaf: true })),
    }
  })
})
