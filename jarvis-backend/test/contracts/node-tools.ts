import type { Homelab } from 'homelab-ports/ports'
import { expect, test } from 'vitest'
import type { ToolOutput } from '../../src/tools/tool.ts'
import { overHomelab } from '../support/house.ts'

/** A cluster with a worn disk, a long unscrubbed pool and a filling thin pool, and a guest whose only job is disabled. */
export type NodeToolsFixture = {
  homelab: Pick<Homelab, 'api' | 'cluster' | 'shell' | 'waker'>
  node: string
  /** A node whose newer kernel waits for a reboot. */
  oldKernelNode: string
  wornDisk: { node: string; path: string }
  oldPool: { node: string; name: string }
  thinPool: { node: string; name: string }
  /** In no job; only in a disabled job. */
  bare: number
  halfBare: number
  disabledJob: string
  /** A failed task whose log has the reason; `words` is its end. */
  failed: { type: string; words: string }
  /** A line of `node`'s journal holds this. */
  journalWord: string
  haGuest: number
  guardedGuest: number
  /** A node that may go. */
  spareNode: string
}

/** The contract of the tools over nodes and storages, on every cluster. */
export function nodeToolsContract(setUp: () => Promise<NodeToolsFixture>) {
  async function started() {
    const fixture = await setUp()
    const tools = new Map(overHomelab(fixture.homelab).map((tool) => [tool.name, tool]))
    const run = async (name: string, input: Record<string, unknown> = {}): Promise<ToolOutput> => {
      const tool = tools.get(name)
      if (tool === undefined) throw new Error(`no tool ${name}`)
      const context = { signal: AbortSignal.timeout(60_000), onProgress() {}, onTask() {} }
      const output = await tool.run(tool.input.parse(input), context)
      if (output.isError !== true) expect(tool.output?.strict().parse(output.data), name).toEqual(output.data)
      return output
    }
    return { ...fixture, run }
  }

  test('disks, pools and thin pools tell what needs a person, worst first', async () => {
    const { run, wornDisk, oldPool, thinPool } = await started()
    const { text, data, isError } = await run('get_storage_health')
    expect(isError).not.toBe(true)
    expect(data?.missing).toEqual([])
    const attention = (data?.attention as string[] | undefined)?.join('\n')
    expect(attention).toContain(`${wornDisk.path} on ${wornDisk.node} has`)
    expect(attention).toMatch(new RegExp(`pool ${oldPool.name} on ${oldPool.node} was scrubbed \\d+ d`))
    expect(attention).toContain(`thin pool ${thinPool.name} on ${thinPool.node}: metadata 91 % full`)
    expect(text.startsWith('Needs attention:')).toBe(true)
    const one = await run('get_storage_health', { node: wornDisk.node, disk: wornDisk.path })
    expect(one.text).toContain('SMART says PASSED')
    expect(one.data).toMatchObject({ smart: { health: 'PASSED', disk: wornDisk.path } })
    expect(await run('get_storage_health', { disk: '/dev/sda' })).toMatchObject({ isError: true })
    await expect(run('get_storage_health', { node: wornDisk.node, disk: '/dev/sdz' })).rejects.toMatchObject({
      code: 'cluster_refused',
    })
  })

  test('a disabled job is no cover, whatever Proxmox says', async () => {
    const { run, bare, halfBare, disabledJob, homelab } = await started()
    const named = (await homelab.api.get(['cluster', 'backup-info', 'not-backed-up'], {}, { signal: calm() })) as {
      vmid: number
    }[]
    expect(named.map(({ vmid }) => vmid)).not.toContain(halfBare)
    const { text, data } = await run('get_uncovered_guests')
    expect(data?.guests).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ vmid: bare, disabledJobs: [] }),
        expect.objectContaining({ vmid: halfBare, disabledJobs: [disabledJob] }),
      ]),
    )
    expect(text).toMatch(new RegExp(`${halfBare} .*only in the disabled job ${disabledJob}`))
  })

  test('the log of the newest failed task says why', async () => {
    const { run, failed } = await started()
    const { text, data } = await run('get_task_log', { type: failed.type, failed: true })
    expect(text).toContain(`TASK ERROR: ${failed.words}`)
    const { upid } = data as { upid: string }
    expect((await run('get_task_log', { upid })).data).toEqual(data)
    expect(await run('get_task_log', { type: 'nosuchtype' })).toMatchObject({ isError: true, summary: 'no such task' })
  })

  test('a node’s journal is bounded, searched, and without the reader’s cursors', async () => {
    const { run, node, journalWord } = await started()
    const all = (await run('get_node_journal', { node })).data as { lines: string[] }
    expect(all.lines.length).toBeGreaterThan(0)
    expect(all.lines.filter((line) => line.startsWith('s='))).toEqual([])
    const found = (await run('get_node_journal', { node, contains: journalWord })).data as { lines: string[] }
    expect(found.lines.length).toBeGreaterThan(0)
    expect(found.lines.every((line) => line.includes(journalWord))).toBe(true)
    expect((await run('get_node_journal', { node, lines: 1 })).data).toMatchObject({ lines: [expect.any(String)] })
    expect((await run('get_node_journal', { node, sinceMinutes: 1, contains: journalWord })).text).toContain('1 min')
  })

  test('updates are listed, a kernel that waits for a reboot is said, and lists are refreshed', async () => {
    const { run, node, oldKernelNode } = await started()
    expect((await run('get_updates', { node: oldKernelNode })).data).toMatchObject({ needsReboot: true })
    const { data } = await run('get_updates', { node: oldKernelNode })
    expect((data?.pending as unknown[] | undefined)?.length).toBeGreaterThan(0)
    expect(await run('refresh_package_lists', { node })).toMatchObject({
      summary: 'refreshed',
      data: { ok: true, upid: expect.stringContaining(':aptupdate:') },
    })
  })

  test('HA says what it manages, and the firewall whether its rules are in force', async () => {
    const { run, haGuest, guardedGuest, node } = await started()
    expect((await run('get_ha_state')).data).toMatchObject({
      isQuorate: true,
      services: expect.arrayContaining([expect.objectContaining({ vmid: haGuest, state: 'started' })]),
    })
    expect((await run('get_firewall')).data).toMatchObject({
      isEnabled: true,
      isClusterEnabled: true,
      policyIn: 'DROP',
    })
    expect((await run('get_firewall', { node })).data).toMatchObject({ node, isEnabled: true, rules: [] })
    expect((await run('get_firewall', { vmid: guardedGuest })).data).toMatchObject({
      vmid: guardedGuest,
      isInForce: true,
      openCards: expect.any(Array),
    })
  })

  test('a node reboots and is seen back, and one that shuts down stays off', async () => {
    const { run, spareNode, homelab } = await started()
    expect(await run('reboot_node', { node: spareNode })).toMatchObject({ data: { isDown: true, isBack: true } })
    expect(await run('shutdown_node', { node: spareNode })).toMatchObject({ data: { isDown: true, isBack: false } })
    expect(homelab.cluster.state().nodes.find(({ name }) => name === spareNode)?.status).toBe('offline')
    const { data, isError } = await run('get_storage_health')
    expect(isError).not.toBe(true)
    expect(data?.missing).toContain(`${spareNode} is offline`)
    await expect(run('get_node_journal', { node: spareNode })).rejects.toMatchObject({ code: 'cluster_unreachable' })
  })

  test('a node that is not in the cluster is never asked for', async () => {
    const { run } = await started()
    for (const [name, input] of [
      ['get_storage_health', {}],
      ['get_node_journal', {}],
      ['get_updates', {}],
      ['refresh_package_lists', {}],
      ['get_firewall', {}],
      ['reboot_node', {}],
      ['get_task_log', { upid: 'UPID:nowhere:00000001:00000001:00000001:x:1:root@pam:' }],
    ] as const) {
      const asked = name === 'get_task_log' ? input : { ...input, node: '../pve' }
      await expect(run(name, asked), name).rejects.toMatchObject({ code: 'not_found' })
    }
  })
}

const calm = () => new AbortController().signal
