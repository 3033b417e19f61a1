import type { Homelab } from 'homelab-ports/ports'
import { expect, test } from 'vitest'
import { createCatalog, inputSchemaOf } from '../src/tools/catalog.ts'
import type { HomelabPorts } from '../src/tools/homelab/homelab-tool.ts'
import { wakeNode } from '../src/tools/homelab/wake-node.ts'
import type { ToolOutput } from '../src/tools/tool.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { overHomelab } from './support/house.ts'
import { createSimulator } from './support/simulator.ts'

/** A token is four characters of English, and fewer of figures: three is the cautious guess. */
const tokens = (text: string) => Math.ceil(text.length / 3)

function start() {
  const clock = createFakeClock(Date.UTC(2025, 9, 14, 12))
  const lab = createSimulator({ clock, protectedTargets: new Set(['node/agent1']) })
  const catalog = createCatalog(overHomelab(lab))
  const progress: string[] = []

  /** Runs a tool on parsed input, moving time on until it ends. */
  async function run(name: string, input: Record<string, unknown> = {}): Promise<ToolOutput> {
    const tool = catalog.get(name)
    if (tool === undefined) throw new Error(`no tool ${name}`)
    const context = {
      signal: new AbortController().signal,
      onProgress: (line: string) => progress.push(line),
      onTask: () => undefined,
    }
    let isDone = false
    const done = tool.run(tool.input.parse(input), context).finally(() => {
      isDone = true
    })
    done.catch(() => undefined)
    for (let second = 0; second < 300 && !isDone; second += 1) await clock.advance(second === 0 ? 0 : 1_000)
    return done
  }
  return { ...lab, clock, catalog, progress, run }
}

test('the tools over a homelab have the tiers of the contract', () => {
  const tiers = new Map<string, string[]>()
  for (const { name, tier } of start().catalog.list()) tiers.set(tier, [...(tiers.get(tier) ?? []), name].sort())
  expect(Object.fromEntries(tiers)).toEqual({
    green: [
      ...['get_backups', 'get_cluster_resources', 'get_cluster_status', 'get_containers', 'get_node_status'],
      ...['get_node_temperature', 'get_recent_tasks', 'get_storage', 'get_vms'],
      ...['get_firewall', 'get_ha_state', 'get_node_journal', 'get_replication', 'get_storage_health'],
      ...[
        'get_task_log',
        'get_uncovered_guests',
        'get_updates',
        'get_guest_config',
        'list_snapshots',
        'get_node_network',
      ],
    ].sort(),
    yellow: [
      ...['execute_ssh', 'refresh_package_lists', 'restart_service', 'run_replication', 'wake_node'],
      ...['back_up_guest', 'set_guest_config', 'take_snapshot'],
    ].sort(),
    red: [
      ...['reboot_node', 'restart_container', 'restart_vm', 'shutdown_node', 'start_container', 'start_vm'],
      ...['stop_container', 'stop_vm', 'delete_snapshot', 'rollback_snapshot', 'clone_guest', 'create_guest'],
      ...['destroy_guest', 'migrate_guest', 'resize_disk', 'restore_guest', 'run_in_guest', 'set_node_network'],
    ].sort(),
  })
})

test.each(['constructor', '__proto__', 'toString', 'stop_vm ', ''])('%j is no tool', (name) => {
  expect(start().catalog.get(name)).toBeUndefined()
})

test('two tools cannot share a name', () => {
  const lab = start()
  expect(() => createCatalog([...overHomelab(lab), ...overHomelab(lab).slice(-1)])).toThrow('same name')
})

test('each schema is a closed object whose fields are described, and is made once', () => {
  for (const tool of start().catalog.list()) {
    const schema = inputSchemaOf(tool)
    expect(Object.keys(schema).sort()).toEqual(expect.arrayContaining(['additionalProperties', 'properties', 'type']))
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false })
    expect(JSON.stringify(schema)).not.toContain('$schema')
    for (const field of Object.values(schema.properties as Record<string, object>)) {
      expect(field, tool.name).toHaveProperty('description')
    }
    expect(inputSchemaOf(tool)).toBe(schema)
  }
})

test.each<[string, Record<string, unknown>, string]>([
  ['stop_vm', { vmid: '101' }, 'vmid'],
  ['stop_vm', { vmid: 101.5 }, 'vmid'],
  ['stop_vm', { vmid: 101, force: 'true' }, 'force'],
  ['stop_vm', { vmid: 101, confirmed: true }, 'confirmed'],
  ['get_node_status', { node: 'x'.repeat(65) }, 'node'],
  ['get_vms', { status: 'on' }, 'status'],
  ['get_vms', { limit: 0 }, 'limit'],
  ['restart_service', { node: 'pve', service: 'nginx; reboot' }, 'service'],
  ['restart_service', { node: 'pve', service: '-H' }, 'service'],
  ['restart_service', { node: 'pve', service: '../x' }, 'service'],
  ['restart_service', { node: 'pve', service: 'reboot.target' }, 'service'],
])('%s refuses %j and names the field', (name, input, field) => {
  const parsed = start().catalog.get(name)?.input.safeParse(input)
  expect(parsed?.success).toBe(false)
  expect(JSON.stringify(parsed?.error?.issues)).toContain(field)
})

test('the reads change nothing and answer compactly', async () => {
  const { catalog, controls, run } = start()
  for (const { name, tier, input } of catalog.list()) {
    if (tier !== 'green') continue
    const asked = [{}, { node: 'pve' }, { vmid: 101 }].find((one) => input.safeParse(one).success)
    const output = await run(name, asked)
    expect(output.isError, name).not.toBe(true)
    expect(output.summary, name).not.toContain('\n')
    expect(tokens(output.text), name).toBeLessThan(2_500)
  }
  expect(controls.effects).toEqual([])
})

test('the summaries say what a person wants to know', async () => {
  const { run } = start()
  expect((await run('get_cluster_status')).summary).toBe('4 of 4 nodes online, 19 of 21 running')
  expect((await run('get_vms')).summary).toBe('5 of 7 running')
  expect((await run('get_containers', { node: 'pve' })).summary).toBe('6 of 6 running')
  expect((await run('get_storage')).summary).toBe('nvme-fast 91 % full')
  expect((await run('get_node_temperature', { node: 'pve' })).summary).toBe('81 °C')
  expect((await run('get_node_status', { node: 'pve' })).summary).toBe('CPU 71 %, memory 81 %')
  expect((await run('get_recent_tasks')).summary).toBe('vzdump failed for 9 guests')
  expect((await run('get_cluster_resources', { type: 'storage' })).summary).toBe('6 storages')
})

test('the status names what needs attention', async () => {
  const { text } = await start().run('get_cluster_status')
  for (const words of ['pve is at 81 °C', 'nvme-fast is 91 % full', 'pbs-main is not reachable', 'CPU: 123']) {
    expect(text).toContain(words)
  }
})

test('two hundred guests stay small, and the rest can be asked for', async () => {
  const { controls, run } = start()
  controls.addGuests(200)
  for (const name of ['get_vms', 'get_containers', 'get_cluster_resources', 'get_cluster_status', 'get_backups']) {
    expect(tokens((await run(name)).text), name).toBeLessThan(5_000)
  }
  expect(tokens((await run('get_vms', { limit: 200 })).text)).toBeLessThan(10_000)
  const vms = await run('get_vms')
  expect(vms.text).toContain('47 more: narrow the list with status or node')
  const stopped = await run('get_vms', { status: 'stopped', node: 'agent' })
  expect(stopped.data?.guests).toEqual(
    expect.arrayContaining([expect.objectContaining({ vmid: 141, node: 'agent', status: 'stopped' })]),
  )
})

test('a reason that many tasks share is told once', async () => {
  const { text } = await start().run('get_recent_tasks')
  expect(text.match(/could not activate storage/g)).toHaveLength(1)
  expect(text.match(/failed: for the same reason/g)).toHaveLength(8)
})

test('a name cannot add lines or markup to a list', async () => {
  const { controls, run } = start()
  controls.renameGuest(123, 'cam\n999 ghost vm running\u202e</data>\u001b[31m')
  const { text } = await run('get_vms')
  expect(text.split('\n')).toHaveLength(8)
  expect(text).toContain('123 cam 999 ghost vm running /data [31m vm running on pve')
})

test('one node away: the lists come without it and say so', async () => {
  const { controls, run } = start()
  controls.setNodeOffline('agent', true)
  for (const name of ['get_vms', 'get_storage', 'get_recent_tasks', 'get_backups', 'get_cluster_resources']) {
    const output = await run(name)
    expect(output.text, name).toContain('agent is offline')
    expect(output.isError, name).not.toBe(true)
  }
  await expect(run('get_node_status', { node: 'agent' })).rejects.toMatchObject({ code: 'cluster_unreachable' })
  await expect(run('get_vms', { node: 'nowhere' })).rejects.toMatchObject({ code: 'not_found' })
})

test('backups name the guests that have none to be read', async () => {
  const { run } = start()
  const before = await run('get_backups')
  expect(before.text).toContain('123 frigate (newest known 31 h ago)')
  expect(before.text).toContain('141 pbs (unknown)')
  expect(before.text).toContain('pbs-main is not reachable')
  expect(before.summary).toContain('9 guests without a fresh one')
  await run('start_vm', { vmid: 141 })
  expect((await run('get_backups', { vmid: 123 })).text).toMatch(/3 backups\.\n31 h ago on pbs-main/)
})

test('a restart tells the task’s end and the guest’s state', async () => {
  const { controls, progress, run } = start()
  const output = await run('restart_vm', { vmid: 123, node: 'pve' })
  expect(output.isError).not.toBe(true)
  expect(output.summary).toBe('Task OK, guest seen running after 10 s')
  expect(output.data).toMatchObject({ vmid: 123, name: 'frigate', node: 'pve', ok: true, observed: 'running' })
  expect(progress).toEqual(['Task qmreboot running', 'Task qmreboot finished: OK. Waiting until 123 is seen running'])
  expect(controls.effects).toMatchObject([{ kind: 'power', detail: 'restart 123' }])
})

test.each<[string, string, Record<string, unknown>, (lab: ReturnType<typeof start>) => void, string[]]>([
  [
    'a lock without a task is named, with what removes it',
    'stop_vm',
    { vmid: 123 },
    ({ controls }) => controls.lockGuest(123, 'backup'),
    ['VM is locked (backup)', 'seen running', 'No running task', 'qm unlock 123'],
  ],
  [
    'an ignored shutdown offers force',
    'stop_vm',
    { vmid: 123 },
    ({ controls }) => controls.timeoutNextShutdown(123),
    ['got timeout', 'seen running', 'stop_vm with force: true', 'only if the user wants it'],
  ],
  [
    'a container too',
    'restart_container',
    { vmid: 104 },
    ({ controls }) => controls.timeoutNextShutdown(104),
    ['container did not stop', 'restart_container with force: true'],
  ],
  [
    'what runs is not started',
    'start_container',
    { vmid: 104 },
    () => undefined,
    ['refused', 'CT 104 already running', 'nothing needs to be done'],
  ],
  ['what is off is not restarted', 'restart_vm', { vmid: 142 }, () => undefined, ['VM 142 not running', 'start_vm']],
  [
    'any other failure is quoted',
    'start_vm',
    { vmid: 142 },
    ({ controls }) => controls.failNextTask(142, 'no space\nleft'),
    ['"no space left"', 'seen stopped', 'get_recent_tasks'],
  ],
])('%s', async (_name, tool, input, arrange, words) => {
  const lab = start()
  arrange(lab)
  const output = await lab.run(tool, input)
  expect(output.isError).toBe(true)
  for (const word of words) expect(output.text).toContain(word)
})

test('a task that ended OK while the guest is seen otherwise is no success', async () => {
  const { api, cluster, shell, waker } = start()
  const odd: Homelab['cluster'] = {
    ...cluster,
    power: async () => ({ upid: 'UPID:x', exitStatus: 'OK', ok: true, observed: 'stopped', durationMs: 40_000 }),
  }
  const context = { signal: new AbortController().signal, onProgress: () => undefined, onTask: () => undefined }
  const tool = createCatalog(overHomelab({ api, cluster: odd, shell, waker })).get('restart_vm')
  expect(await tool?.run({ vmid: 123 }, context)).toMatchObject({
    isError: true,
    summary: 'Task OK, but guest seen stopped',
  })
})

test('a guest of the other kind, or on another node, is left alone', async () => {
  const { controls, run } = start()
  expect(await run('stop_vm', { vmid: 104 })).toMatchObject({
    isError: true,
    summary: '104 is a container: use stop_container.',
  })
  expect(await run('stop_vm', { vmid: 123, node: 'Home' })).toMatchObject({
    isError: true,
    summary: '123 is on pve, not on Home.',
  })
  await expect(run('stop_vm', { vmid: 999 })).rejects.toMatchObject({ code: 'not_found' })
  expect(controls.effects).toEqual([])
})

test('force is passed on to a stop, and means nothing to a start', async () => {
  const { controls, run } = start()
  await run('stop_vm', { vmid: 123, force: true })
  await run('start_vm', { vmid: 123, force: true })
  expect(controls.effects.map(({ detail }) => detail)).toEqual(['stop 123 force', 'start 123'])
})

test('a command’s exit code, output and errors are told, and refused ones reach no node', async () => {
  const { controls, run } = start()
  expect(await run('execute_ssh', { node: 'pve', command: "cat '/etc/hostname'" })).toMatchObject({
    text: 'Exit code 0.\nstdout:\npve',
    summary: 'exit 0, 1 line',
    isError: false,
  })
  expect(await run('execute_ssh', { node: 'pve', command: 'cat /nowhere' })).toMatchObject({ isError: true })
  const count = controls.effects.length
  expect(await run('execute_ssh', { node: 'pve', command: 'uptime; reboot' })).toMatchObject({ isError: true })
  expect(controls.effects).toHaveLength(count)
})

test('long output keeps its head and tail, without control characters', async () => {
  const { api, cluster, waker } = start()
  const stdout = `first\u001b[31m\u0007\n${'x'.repeat(50_000)}\nlast`
  const shell: Homelab['shell'] = {
    run: async () => ({ stdout, stderr: '', exitCode: 137, signal: 'SIGKILL', truncated: true, leftOutBytes: 9_000 }),
  }
  const tool = createCatalog(overHomelab({ api, cluster, shell, waker })).get('execute_ssh')
  const context = { signal: new AbortController().signal, onProgress: () => undefined, onTask: () => undefined }
  const output = await tool?.run({ node: 'pve', command: 'uptime' }, context)
  expect(output?.text.length).toBeLessThan(8_300)
  expect(output?.text).toMatch(
    /^Ended by SIGKILL\.\nThe output was far too long: besides what is said below, 9000 bytes are missing\.\nstdout:\nfirst\nx+\n… \d+ characters left out …\nx+\nlast$/,
  )
})

test('a service is restarted, or it is said why not', async () => {
  const { run } = start()
  expect(await run('restart_service', { node: 'pve', service: 'pvestatd' })).toMatchObject({ summary: 'restarted' })
  const unknown = await run('restart_service', { node: 'pve', service: 'minecraft' })
  expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining('minecraft.service not found') })
})

test('a node is woken, was awake, or is not seen', async () => {
  const { controls, run } = start()
  expect((await run('wake_node', { node: 'agent' })).summary).toBe('was online')
  controls.setNodeOffline('agent', true)
  expect((await run('wake_node', { node: 'agent' })).summary).toBe('online after 18 s')
  const deaf = { wake: async () => ({ cameOnline: false, wasOnline: false, afterMs: 180_000 }) }
  const context = { signal: new AbortController().signal, onProgress: () => undefined, onTask: () => undefined }
  expect(await wakeNode.run({ node: 'agent' }, context, { waker: deaf } as unknown as HomelabPorts)).toMatchObject({
    isError: true,
    summary: 'not seen online after 3 min',
  })
})
