import { scaledClock } from 'fake-proxmox/server/scaled-clock'
import { usualLimits } from 'protocol'
import { expect, test } from 'vitest'
import { runTask } from '../src/homelab/operations/run-task.ts'
import { backupOld } from '../src/watch/checks/backup-old.ts'
import { certificate } from '../src/watch/checks/certificate.ts'
import { zfsScrub } from '../src/watch/checks/zfs-scrub.ts'
import { overHomelab } from './support/house.ts'
import { calm, startProxmox } from './support/start-proxmox.ts'

const hourMs = 3_600_000
/** Days since the fake's pool was scrubbed. */
const scrubbedDaysAgo = 50
const nobody = () => Promise.reject(new Error('not here'))

/** A cluster beside a JARVIS whose clock is so far ahead of it. */
async function beside(aheadMs: number) {
  const { cluster, until } = await startProxmox({ speed: 2 }, () => {
    const clock = scaledClock(Date.now(), 2)
    return { clock: { ...clock, now: () => clock.now() + aheadMs } }
  })
  const state = await until(({ guests }) => guests.some(({ backupAt }) => typeof backupAt === 'number'))
  const tools = new Map(
    overHomelab({ cluster, api: cluster.api, shell: { run: nobody }, waker: { wake: nobody } }).map((tool) => [
      tool.name,
      tool,
    ]),
  )
  const run = async (name: string, input: object) => {
    const tool = tools.get(name)
    return tool?.run(tool.input.parse(input), { ...calm(), onProgress() {}, onTask() {} })
  }
  const pools = { get: () => undefined, keep() {} }
  const ports = { pools, api: cluster.api, state, limits: usualLimits, now: Date.now() + aheadMs, ...calm() }
  return { cluster, state, run, ports: ports as unknown as Parameters<typeof backupOld.look>[0] }
}

test.each([
  [0, undefined],
  [30 * hourMs, -30 * hourMs],
  [-30 * hourMs, 30 * hourMs],
])('with its own clock %i ms ahead JARVIS tells ages by the cluster’s', async (aheadMs, off) => {
  const { cluster, state, run, ports } = await beside(aheadMs)
  expect(state.clockOffMs).toBe(off)
  expect(state.missing.join()).not.toContain('clock')
  expect((await run('get_backups', { vmid: 100 }))?.text).toMatch(/^24 h ago on pbs/m)
  const { measures } = await backupOld.look(ports)
  const web = measures.find(({ inputs }) => inputs?.vmid === 100)
  expect(web?.words).toBe('24 h')
  const at = ['nodes', 'pve1', 'qemu', 100] as const
  await runTask(
    cluster.api,
    { method: 'POST', path: [...at, 'snapshot'], form: { snapname: 'fresh' }, what: 'x' },
    calm(),
  )
  expect((await run('list_snapshots', { vmid: 100 }))?.text).toMatch(/^fresh, \d+ s ago/m)
  const [pool] = (await zfsScrub.look(ports)).measures
  expect(pool?.value).toBeCloseTo(scrubbedDaysAgo, 0)
  expect((await run('get_ha_state', {}))?.text).not.toContain('Not heard of')
  for (const { value } of (await certificate.look(ports)).measures) expect(value).toBeCloseTo(300, 1)
  cluster.close()
})
