import { systemClock } from 'node-kit/clock'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createRedactor, createStreamRedactor } from '../src/gate/index.ts'
import { redactedHomelab } from '../src/homelab/redacted.ts'
import { getTaskLog } from '../src/tools/nodes/get-task-log.ts'
import { nodeToolsContract } from './contracts/node-tools.ts'
import { overHomelab } from './support/house.ts'
import { createSimulator } from './support/simulator.ts'
import { startProxmox } from './support/start-proxmox.ts'

describe('on the demo cluster', () => {
  nodeToolsContract(async () => {
    const homelab = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 200 })
    onTestFinished(() => homelab.cluster.close())
    return {
      homelab,
      node: 'pve',
      oldKernelNode: 'pve',
      wornDisk: { node: 'pve', path: '/dev/nvme0n1' },
      oldPool: { node: 'pve', name: 'nvme-fast' },
      thinPool: { node: 'agent1', name: 'pve/data' },
      bare: 141,
      halfBare: 142,
      disabledJob: 'backup-lab',
      failed: { type: 'vzdump', words: 'could not activate storage' },
      journalWord: 'vfio-pci',
      haGuest: 113,
      guardedGuest: 113,
      spareNode: 'agent',
    }
  })
})

/** The client over HTTPS. */
async function real() {
  const { fake, cluster, until, read } = await startProxmox()
  await read()
  await fake.control.addTask({ node: 'pve1', type: 'vzdump', id: '100' }, 'job errors')
  const none = () => {
    throw new Error('not here')
  }
  return { fake, until, homelab: { cluster, api: cluster.api, shell: { run: none }, waker: { wake: none } } }
}

describe('on a Proxmox over HTTPS', () => {
  nodeToolsContract(async () => {
    const { homelab } = await real()
    return {
      homelab,
      node: 'pve1',
      oldKernelNode: 'pve1',
      wornDisk: { node: 'pve2', path: '/dev/sda' },
      oldPool: { node: 'pve3', name: 'rpool' },
      thinPool: { node: 'pve1', name: 'pve/data' },
      bare: 202,
      halfBare: 102,
      disabledJob: 'backup-2',
      failed: { type: 'vzdump', words: 'job errors' },
      journalWord: 'pvestatd',
      haGuest: 103,
      guardedGuest: 100,
      spareNode: 'pve4',
    }
  })

  const over = async () => {
    const { fake, homelab } = await real()
    const tools = new Map(overHomelab(homelab).map((tool) => [tool.name, tool]))
    const run = async (name: string, input: Record<string, unknown> = {}) => {
      const context = { signal: AbortSignal.timeout(60_000), onProgress() {}, onTask() {} }
      const output = await tools.get(name)?.run(input, context)
      if (output === undefined) throw new Error(`no tool ${name}`)
      return output
    }
    return { fake, homelab, run }
  }

  test('a secret in a journal or a task’s log is not told, also where it goes over several lines', async () => {
    const { homelab } = await real()
    const key = [
      '-----BEGIN PRIVATE KEY-----',
      `MIIE${'vQIBADANBgkqhkiG9w0B'.repeat(3)}`,
      'AAAAhiddenAAAA',
      '-----END PRIVATE KEY-----',
    ]
    const said = ['before', ...key, 'after']
    const api: typeof homelab.api = {
      ...homelab.api,
      get: async (path) => (path.at(-1) === 'log' ? said.map((t, at) => ({ n: at + 1, t })) : said),
    }
    const redactor = createRedactor([])
    const redacted = redactedHomelab({ ...homelab, api }, { ...redactor, stream: () => createStreamRedactor(redactor) })
    const tools = new Map(overHomelab(redacted).map((tool) => [tool.name, tool]))
    const context = { signal: AbortSignal.timeout(60_000), onProgress() {}, onTask() {} }
    for (const [name, input] of [
      ['get_node_journal', { node: 'pve1', lines: 3 }],
      ['get_task_log', { type: 'vzdump', lines: 3 }],
    ] as const) {
      const output = JSON.stringify(await tools.get(name)?.run(input, context))
      expect(output, name).toContain('after')
      expect(output, name).not.toContain('hidden')
    }
  })

  test('backups on a backup server say whether they were verified', async () => {
    const { run } = await over()
    const { text, data } = await run('get_backups', { vmid: 100 })
    const { backups } = data as { backups: { verification?: string }[] }
    expect(backups.map(({ verification }) => verification)).toEqual(['none', 'ok'])
    expect(text).toMatch(/not verified yet\n.*, verified$/)
    expect(await run('get_backups', { vmid: 200 })).toMatchObject({ text: expect.not.stringContaining('verified') })
  })

  test('a replication that fails says so, and one that is queued runs', async () => {
    const { homelab, run } = await over()
    const before = await run('get_replication')
    expect(before.summary).toBe('2 jobs, 1 failing')
    expect(before.text).toContain('101-0: guest 101 from pve2 to pve3, no success known, failed 3 times')
    const syncedAt = async () => {
      const { jobs } = (await run('get_replication', { node: 'pve1' })).data as { jobs: { syncedAt: number }[] }
      return jobs[0]?.syncedAt ?? 0
    }
    const first = await syncedAt()
    expect(await run('run_replication', { job: '100-0' })).toMatchObject({ summary: 'queued' })
    while ((await syncedAt()) === first) await homelab.api.wait(5_000, AbortSignal.timeout(60_000))
    expect(await syncedAt()).toBeGreaterThan(first)
    await expect(run('run_replication', { job: '100-7' })).rejects.toMatchObject({
      code: 'cluster_refused',
      words: "no such replication job '100-7'",
    })
  })

  test.each([
    ['get_storage_health', {}, 'Sys.Audit on /'],
    ['get_updates', { node: 'pve1' }, 'Sys.Modify on /nodes'],
  ])('%s names the right that the token lacks, and no answer is “nothing”', async (name, input, right) => {
    const { fake, run } = await over()
    await fake.control.setRights({ '/vms': { 'VM.Audit': 1 } })
    const output = await run(name, input)
    expect(output).toMatchObject({ isError: true, text: expect.stringContaining(right) })
    expect(output.text).not.toContain('Nothing needs attention')
  })

  test.each([
    ['get_node_journal', { node: 'pve1' }, 'Sys.Syslog'],
    ['get_ha_state', {}, 'Sys.Audit'],
    ['get_uncovered_guests', {}, 'Sys.Audit'],
    ['reboot_node', { node: 'pve1' }, 'Sys.PowerMgmt'],
    ['run_replication', { job: '100-0' }, 'VM.Replicate'],
  ])('%s without its right is refused with the right’s name', async (name, input, right) => {
    const { fake, run } = await over()
    await fake.control.setRights({ '/vms': { 'VM.Audit': 1 } })
    await expect(run(name, input)).rejects.toMatchObject({
      code: 'cluster_refused',
      message: expect.stringContaining(right),
    })
  })
})

test.each([
  'UPID:pve:/../../../access/users',
  'UPID:pve:..%2f..:00000001:00000001:x:1:root@pam:',
  'UPID:pve:00000001:00000001:00000001:x:1/../2:root@pam:',
])('%s, which would lead to another path, is no UPID', (upid) => {
  expect(getTaskLog.input.safeParse({ upid }).success).toBe(false)
  expect(getTaskLog.input.safeParse({ upid: 'UPID:pve:000C0FFE:00BADA55:66E0F0A1:vzdump:104:root@pam:' }).success).toBe(
    true,
  )
})
