import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createProxmox } from '../src/homelab/connect.ts'
import { folder } from './support/data-dir.ts'
import { createSkippingClock } from './support/fake-clock.ts'
import { startNetworkNode } from './support/network-node.ts'
import { scripted } from './support/scripted-model.ts'
import { sshdTest as test } from './support/sshd.ts'
import { startJarvis } from './support/start-jarvis.ts'
import { connectionTo, startProxmox } from './support/start-proxmox.ts'

const calm = { signal: AbortSignal.timeout(60_000) }
const id = 'toolu_1'
const unit = `jarvis-undo-${id}`

/** A node whose staged change is armed to go back after ten minutes. */
async function armed() {
  const node = await startNetworkNode()
  node.stage('new\n')
  await node.timers.arm('pve1', { id, afterMs: 600_000 }, calm)
  return { ...node, apply: () => renameSync(`${node.interfaces}.new`, node.interfaces) }
}

test('a timer that goes off puts the network back, though nobody is there', async () => {
  const { apply, fire, inForce, reloads, shell, sshd, after, timers } = await armed()
  expect(after(unit)).toBe('600s')
  apply()
  await sshd.stop()
  await fire(unit)
  expect({ inForce: inForce(), reloads: reloads() }).toEqual({ inForce: 'old\n', reloads: 1 })
  await expect(timers.disarm('pve1', id, calm)).rejects.toMatchObject({ code: 'cluster_unreachable' })
  await sshd.restart()
  expect(await timers.disarm('pve1', id, calm)).toBe('gone_off')
  shell.close()
})

test('a timer that was taken away never goes off, and two that race have one winner', async () => {
  const { apply, fire, inForce, reloads, armed: units, shell, stage, timers } = await armed()
  apply()
  expect(await timers.disarm('pve1', id, calm)).toBe('disarmed')
  // An answer may have been lost.
  expect(await timers.disarm('pve1', id, calm)).toBe('disarmed')
  expect({ inForce: inForce(), units: units() }).toEqual({ inForce: 'new\n', units: [] })
  for (const round of Array.from({ length: 8 }, (_, index) => `race-${index}`)) {
    stage(`${round}\n`)
    const before = { inForce: inForce(), reloads: reloads() }
    await timers.arm('pve1', { id: round, afterMs: 60_000 }, calm)
    apply()
    const [end] = await Promise.all([timers.disarm('pve1', round, calm), fire(`jarvis-undo-${round}`)])
    const hasWon = { inForce: `${round}\n`, reloads: before.reloads }
    expect({ inForce: inForce(), reloads: reloads() }, round).toEqual(
      end === 'disarmed' ? hasWon : { inForce: before.inForce, reloads: before.reloads + 1 },
    )
  }
  shell.close()
})

test('a timer takes back what was not applied by dropping it, and leaves alone what somebody else changed', async () => {
  const { fire, inForce, interfaces, reloads, shell, stage, timers } = await armed()
  await fire(unit)
  expect({ inForce: inForce(), isStaged: existsSync(`${interfaces}.new`), reloads: reloads() }).toEqual({
    inForce: 'old\n',
    isStaged: false,
    reloads: 0,
  })
  stage('newer\n')
  await timers.arm('pve1', { id: 'b', afterMs: 60_000 }, calm)
  writeFileSync(interfaces, 'mended by hand\n')
  await expect(fire('jarvis-undo-b')).rejects.toMatchObject({ stderr: expect.stringContaining('is left alone') })
  expect({ inForce: inForce(), reloads: reloads() }).toEqual({ inForce: 'mended by hand\n', reloads: 0 })
  shell.close()
})

test('what cannot be armed is said, and a restart of the node ends a timer', async () => {
  const { armed: units, interfaces, program, runDir, shell, timers } = await armed()
  expect(await timers.obstacle('pve1', calm)).toBeUndefined()
  await expect(timers.arm('pve1', { id, afterMs: 60_000 }, calm)).rejects.toThrow('was already loaded')
  await expect(timers.arm('pve1', { id: 'a/../b', afterMs: 60_000 }, calm)).rejects.toThrow('named by the id')
  rmSync(`${interfaces}.new`)
  await expect(timers.arm('pve1', { id: 'c', afterMs: 60_000 }, calm)).rejects.toThrow('sha256sum on pve1 failed')
  expect(units()).toEqual([unit])
  for (const name of readdirSync(runDir)) rmSync(join(runDir, name))
  expect(await timers.disarm('pve1', id, calm)).toBe('missing')
  program('systemd-run', 'echo "systemd-run: not here" >&2; exit 127')
  expect(await timers.obstacle('pve1', calm)).toBe('systemd-run on pve1 failed: systemd-run: not here.')
  program('id', 'echo 1000')
  expect(await timers.obstacle('pve1', calm)).toBe('JARVIS is not root on pve1 over SSH, and only root can arm one.')
  expect(await timers.obstacle('nowhere', calm)).toBe('There is no node nowhere.')
  shell.close()
})

test('on a cluster: JARVIS arms the node, dies, and finds at its next start that the node has put its network back', async () => {
  const node = await startNetworkNode()
  const {
    fake,
    cluster,
    clock: fakeClock,
    read,
  } = await startProxmox({ speed: 25 }, async ({ control }) => {
    await control.keepNetworkIn('pve1', node.interfaces)
    return { protectedTargets: new Set<string>() }
  })
  await read()
  const clock = createSkippingClock()
  const dataDir = folder()
  const waker = { wake: () => Promise.reject(new Error('not here')) }
  const over = (to: typeof cluster) => ({
    cluster: to,
    api: to.api,
    shell: node.shell,
    waker,
    networkTimers: node.timers,
  })
  const before = node.inForce()
  const first = await startJarvis({ remote: over(cluster), clock, dataDir, model: scripted() })
  const screen = await first.connect()
  const { sessionId } = await screen.ask('chat:send', {
    message: '/set_node_network node=pve1 iface=vmbr0 set={"mtu":9000}',
  })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: true, goesBackAfterMin: 10 })
  expect(await screen.next('chat:tool_result')).toMatchObject({
    isError: false,
    result: expect.stringContaining('pve1 puts it back by itself unless it is kept.'),
  })
  expect(node.inForce()).toContain('mtu 9000')
  expect(node.armed()).toEqual([`jarvis-undo-${toolUseId}`])
  await first.stop()

  await node.fire(`jarvis-undo-${toolUseId}`)
  expect(node.inForce()).toBe(before)
  clock.skip(11 * 60_000)
  const again = createProxmox({
    connection: connectionTo(fake),
    shell: node.shell,
    clock: fakeClock,
    protectedTargets: new Set<string>(),
    host: { name: 'elsewhere', macs: new Set(), isProxmox: false },
  })
  const after = await startJarvis({ remote: over(again), clock, dataDir, model: scripted() })
  const change = async () => (await after.rest(`/api/changes/${toolUseId}`)).json()
  await expect.poll(change).toMatchObject({ state: 'undone' })
  expect(node.reloads()).toBe(1)
  node.shell.close()
}, 60_000)
