import { startFakeProxmox } from 'fake-proxmox/server'
import { systemClock } from 'node-kit/clock'
import { afterAll, beforeAll, describe } from 'vitest'
import { createProxmox, usualDeadlines } from '../src/homelab/connect.ts'
import { pveAnswersContract } from './contracts/pve-answers.ts'
import { type Place, type PveFixture, pveFilesContract } from './contracts/pve-api.ts'
import { pveGuestsContract } from './contracts/pve-guests.ts'
import { createJumpingClock } from './support/jumping-clock.ts'
import { createSimulator } from './support/simulator.ts'
import { connectionTo } from './support/start-proxmox.ts'

const vm = (node: string, vmid: number): Place => ({ node, vmid, type: 'qemu' })
const ct = (node: string, vmid: number): Place => ({ node, vmid, type: 'lxc' })

/** Each cluster is started once for all tests on it. */
const clusters: Record<string, () => Promise<{ fixture: PveFixture; stop(): Promise<void> | void }>> = {
  async 'the demo'() {
    const { api, cluster, controls } = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 100 })
    const guests = { zfsVm: vm('Home', 101), zfsCt: ct('Home', 112), thinVm: vm('agent1', 131) }
    const others = {
      rawVm: vm('agent', 142),
      bindCt: ct('pve', 104),
      backups: 'tank-nfs',
      iso: 'tank-nfs:iso/virtio-win.iso',
    }
    return { fixture: { api, ...guests, ...others, ...controls.pve }, stop: cluster.close }
  },
  async 'the real client over HTTP'() {
    const clock = createJumpingClock()
    const fake = await startFakeProxmox({ clock, denyDelayMs: 10, proxyDelayMs: 10 })
    const cluster = createProxmox({
      connection: connectionTo(fake),
      shell: { run: () => Promise.reject(new Error('no shell')) },
      clock,
      deadlines: { ...usualDeadlines, clock },
      protectedTargets: new Set(),
    })
    const guests = { zfsVm: vm('pve1', 100), zfsCt: ct('pve1', 200), thinVm: vm('pve2', 101) }
    const others = {
      rawVm: vm('pve1', 102),
      bindCt: ct('pve3', 202),
      backups: 'nas',
      iso: 'local:iso/debian-13.2.0-amd64-netinst.iso',
    }
    const stop = async () => {
      cluster.close()
      await fake.stop()
    }
    const { failNextTask, changeBehind, silenceAgent, breakNextRestore } = fake.control
    const controls = { failNextTask, changeBehind, silenceAgent, breakNextRestore }
    return { fixture: { api: cluster.api, ...guests, ...others, ...controls }, stop }
  },
}

describe.each(Object.entries(clusters))('%s', (_name, start) => {
  let running: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    running = await start()
  })
  afterAll(() => running.stop())
  pveFilesContract(() => running.fixture)
  pveGuestsContract(() => running.fixture)
  pveAnswersContract(() => running.fixture)
})
