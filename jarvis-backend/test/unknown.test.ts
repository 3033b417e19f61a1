import type { FakeProxmox } from 'fake-proxmox/server'
import type { Shell } from 'homelab-ports/ports'
import { type ClusterState, JarvisError } from 'protocol'
import { expect, test } from 'vitest'
import type { ProxmoxOptions } from '../src/homelab/connect.ts'
import { connectMcp, createToken } from './support/mcp-client.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'
import { connectionTo, startProxmox } from './support/start-proxmox.ts'

/** Every place where a person, a model or a program reads how the cluster is. */
const tools = [
  'get_cluster_status',
  'get_vms',
  'get_containers',
  'get_storage',
  'get_cluster_resources',
  'get_backups',
  'get_recent_tasks',
] as const
type View =
  | (typeof tools)[number]
  | 'summary'
  | 'rest'
  | 'socket'
  | 'status'
  | 'metrics'
  | 'resource'
  | 'context'
  | 'card'

type Cut = {
  options?: (fake: FakeProxmox) => Partial<ProxmoxOptions>
  /** After the first look. */
  cut?: (fake: FakeProxmox) => Promise<unknown>
  isCut: (state: ClusterState) => boolean
  /** The words of each view. Views that are not named must say what they say if everything is known, and are not looked at. */
  says: Partial<Record<View, RegExp>>
  /** Tools whose answer is an error. */
  errors: readonly View[]
}

const fails = (match: string) => (fake: FakeProxmox) =>
  fake.control.addFault({ kind: 'status', status: 500, phrase: 'broken', match, times: 1_000_000 })
const reads = (word: string) => (state: ClusterState) => state.missing.some((line) => line.includes(word))

/** The words about a cluster of which nothing is known. */
const blind: Cut['says'] = {
  get_cluster_status: /^UNKNOWN: .*quorum unknown, .*What needs attention is unknown\.$/s,
  get_vms: /^UNKNOWN: /,
  get_containers: /^UNKNOWN: /,
  get_storage: /^UNKNOWN: /,
  get_cluster_resources: /^UNKNOWN: /,
  summary: /^unknown: /,
  rest: /"isQuorate":null/,
  socket: /"isQuorate":null/,
  status: /"health":"bad"/,
  metrics: /^(?=.*jarvis_cluster_up 0)(?!.*jarvis_cluster_quorate)(?!.*jarvis_node_up)(?!.*jarvis_guest_up)/s,
  resource: /"isQuorate":null/,
  context: /^<cluster_state>\nUNKNOWN: .*quorum unknown/s,
}
/** Before anything was read, there is no list either. */
const neverRead: Cut['says'] = {
  ...blind,
  rest: /"nodes":null.*"guests":null.*"storages":null.*"tasks":null.*"isQuorate":null.*"unreachableSince":\d/,
  get_vms: /^UNKNOWN: .*\nVirtual machines are unknown\.$/,
  card: /there is no guest 100 that is known: /,
}

const cuts: Record<string, Cut> = {
  'an address where nothing answers': {
    options: (fake) => ({ connection: { ...connectionTo(fake), urls: ['https://127.0.0.1:1'] } }),
    isCut: ({ unreachableSince }) => unreachableSince !== undefined,
    says: { ...neverRead, get_backups: /cannot be reached/, get_recent_tasks: /cannot be reached/ },
    errors: tools,
  },
  'a wrong token': {
    options: (fake) => ({ connection: { ...connectionTo(fake), tokenSecret: 'wrong' } }),
    isCut: ({ unreachableSince }) => unreachableSince !== undefined,
    says: { ...neverRead, get_backups: /refuses the API token/, get_recent_tasks: /refuses the API token/ },
    errors: tools,
  },
  'all nodes, half a minute ago': {
    cut: (fake) => fake.control.closeEntry(0),
    isCut: ({ isQuorate }) => isQuorate === null,
    says: {
      ...blind,
      get_cluster_status: /^UNKNOWN: last seen \d+ (s|min) ago: .*quorum unknown, all 4 nodes unknown, all 9 unknown/s,
      get_vms: /^UNKNOWN: last seen .*100 web vm unknown on pve1/s,
      rest: /"isQuorate":null.*"unreachableSince":\d/,
      summary: /^unknown: last seen \d+ (s|min) ago: /,
      card: /^not known: the cluster cannot be read now/,
    },
    errors: tools,
  },
  quorum: {
    cut: fails('/cluster/status'),
    isCut: ({ isQuorate }) => isQuorate === null,
    says: {
      get_cluster_status: /^Could not be read: quorum cannot be read now: .*quorum unknown, 4 of 4 nodes online/s,
      summary: /^not read: quorum cannot be read now.*; 4 of 4 nodes online/,
      rest: /"isQuorate":null/,
      socket: /"isQuorate":null/,
      status: /"health":"warn","text":"Quorum unknown\./,
      metrics: /^(?=.*jarvis_cluster_up 1)(?!.*jarvis_cluster_quorate)/s,
      resource: /"isQuorate":null/,
      context: /quorum unknown/,
    },
    errors: ['get_cluster_status'],
  },
  'quorum, of which an empty list comes': {
    cut: (fake) =>
      fake.control.addFault({ kind: 'says', text: '{"data":[]}', match: '/cluster/status', times: 1_000_000 }),
    isCut: ({ isQuorate }) => isQuorate === null,
    says: {
      get_cluster_status: /^Could not be read: quorum: the cluster named no members\..*quorum unknown/s,
      summary: /^not read: quorum/,
      rest: /"isQuorate":null/,
      status: /"health":"warn","text":"Quorum unknown\./,
      metrics: /^(?!.*jarvis_cluster_quorate)/s,
    },
    errors: ['get_cluster_status'],
  },
  'the state of a VM that does nothing': {
    cut: fails('/qemu/104/status/current'),
    isCut: ({ guests }) => guests.some(({ vmid, status }) => vmid === 104 && status === 'unknown'),
    says: {
      get_cluster_status:
        /^Could not be read: whether 104 runs or is paused cannot be read: .*6 of 9 running, 1 unknown/s,
      get_vms: /^Could not be read: .*104 sleeper vm unknown on pve2/s,
      summary: /^not read: whether 104 runs or is paused cannot be read: .*6 of 9 running, 1 unknown/,
      rest: /"vmid":104[^}]*"status":"unknown"[^}]*"uptimeS":null/,
      status: /"health":"warn".*whether 104 runs/,
      metrics: /^(?!.*jarvis_guest_up\{vmid="104")/s,
      context: /whether 104 runs or is paused/,
    },
    errors: [],
  },
  tasks: {
    cut: fails('/tasks'),
    isCut: ({ unread }) => unread?.includes('tasks') === true,
    says: {
      get_cluster_status: /^Could not be read: tasks cannot be read now: .*Whether tasks failed is unknown\./s,
      get_recent_tasks: /^Could not be read: .*\nNo task could be read\.$/,
      rest: /"tasks":null/,
      socket: /"tasks":null/,
      status: /"health":"warn".*tasks cannot be read now/,
      resource: /"tasks":null/,
      context: /Could not be read: tasks cannot be read now/,
    },
    errors: ['get_cluster_status', 'get_recent_tasks'],
  },
  'one storage’s backups': {
    cut: fails('/storage/pbs/content'),
    isCut: reads('backups on pbs cannot be read'),
    says: {
      get_cluster_status: /^Could not be read: backups on pbs cannot be read/,
      get_vms: /103 mail vm running .*backup unknown/,
      get_backups: /^Could not be read: backups on pbs cannot be read: .*103 mail \(unknown\)/s,
      rest: /"backupAt":null/,
      status: /"health":"warn".*backups on pbs/,
      context: /backups on pbs cannot be read/,
      card: /backups not known/,
    },
    errors: [],
  },
  'all backups': {
    cut: fails('/content'),
    isCut: reads('backups on nas cannot be read'),
    says: {
      get_backups: /^Could not be read: .*\nNo backup could be read\./,
      get_vms: /100 web vm running .*backup unknown/,
      rest: /"backupAt":null/,
      metrics: /^(?!.*jarvis_guest_backup)/s,
      card: /backups not known/,
    },
    errors: ['get_backups'],
  },
  'one node of four': {
    cut: (fake) => fake.control.setNode('pve4', false),
    isCut: reads('pve4 is offline'),
    says: {
      get_cluster_status: /^Could not be read: pve4 is offline.*3 of 4 nodes online, [56] of 9 running, 1 unknown/s,
      get_vms: /300 far vm unknown on pve4/,
      get_storage: /local dir on pve4, unknown whether it can be reached, use unknown/,
      summary: /^not read: pve4 is offline.*; 3 of 4 nodes online, [56] of 9 running, 1 unknown, and 1 template$/,
      rest: /"vmid":300[^}]*"status":"unknown"[^}]*"uptimeS":null/,
      metrics: /^(?=.*jarvis_node_up\{node="pve4"\} 0)(?!.*jarvis_guest_up\{vmid="300")/s,
      context: /3 of 4 nodes online, [56] of 9 running, 1 unknown/,
    },
    errors: [],
  },
  SSH: {
    options: () => ({ shell: brokenShell }),
    isCut: reads('temperature of pve1, pve2, pve3, pve4 cannot be read: pve1 refuses SSH'),
    says: {
      get_cluster_status: /^Could not be read: temperature of .*pve1 online, .*temperature unknown/s,
      rest: /"temperatureC":null/,
      status: /"health":"warn".*temperature of pve1/,
      metrics: /^(?!.*jarvis_node_temperature)/s,
      context: /temperature unknown/,
    },
    errors: [],
  },
  'all rights': {
    cut: (fake) => fake.control.setRights({}),
    isCut: ({ unread, isQuorate }) => unread?.includes('guests') === true && isQuorate === null,
    says: {
      get_cluster_status: /^Could not be read: .*quorum unknown, 4 of 4 nodes online, guests unknown/s,
      get_vms: /\nVirtual machines are unknown\.$/,
      get_storage: /\nStorages are unknown\.$/,
      rest: /"guests":null,"storages":null/,
      metrics: /^(?!.*jarvis_cluster_quorate)/s,
      context: /guests unknown/,
    },
    errors: [
      'get_cluster_status',
      'get_vms',
      'get_containers',
      'get_storage',
      'get_cluster_resources',
      'get_backups',
      'get_recent_tasks',
    ],
  },
}
const brokenShell: Shell = {
  run: async (node) => {
    throw new JarvisError('cluster_unreachable', `${node} refuses SSH.`)
  },
}

test.each(Object.entries(cuts))('without %s, that is said to be unknown wherever one looks', async (_what, given) => {
  const model = scripted(calls(['stop_vm', { vmid: 100 }]), says('Noted.'))
  const { fake, cluster, clock, until, read } = await startProxmox({}, given.options)
  if (given.cut !== undefined) {
    await read()
    await given.cut(fake)
  }
  const jarvis = await startJarvis({
    clock,
    model,
    remote: {
      api: cluster.api,
      cluster,
      shell: brokenShell,
      waker: { wake: async () => ({ cameOnline: false, wasOnline: false, afterMs: 0 }) },
    },
  })
  await until(given.isCut)

  const seen = new Map<View, string>()
  const errors: View[] = []
  const client = await connectMcp(jarvis, createToken(jarvis))
  for (const name of tools) {
    const { content, isError } = await client.callTool({ name, arguments: {} })
    seen.set(name, (content as { text: string }[])[0]?.text ?? '')
    if (isError === true) errors.push(name)
  }
  const json = async (path: string) => (await jarvis.rest(path)).text()
  seen.set('rest', await json('/api/cluster'))
  seen.set('metrics', await json('/metrics'))
  const { parts } = JSON.parse(await json('/api/status')) as { parts: { name: string }[] }
  seen.set('status', JSON.stringify(parts.find(({ name }) => name === 'Cluster')))
  const { contents } = await client.readResource({ uri: 'jarvis://cluster' })
  seen.set('resource', String((contents[0] as { text?: string } | undefined)?.text))
  const watcher = await jarvis.connect('/cluster')
  seen.set('socket', JSON.stringify((await watcher.next('cluster:snapshot' as never)) as object))
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: '/get_cluster_status' })
  seen.set('summary', (await screen.next('chat:tool_result')).summary)
  const { sessionId } = await screen.ask('chat:send', { message: 'Stop 100.' })
  const last = async () => {
    const { entries } = (await screen.ask('chat:attach', { sessionId })).snapshot
    return entries.findLast(({ type }) => type === 'confirm_needed' || type === 'tool_result' || type === 'blocked')
  }
  await expect.poll(async () => (await last())?.type).toBeDefined()
  const entry = (await last()) as unknown as { now?: string; result?: string; reason?: string; card?: { now: string } }
  seen.set('card', entry.card?.now ?? entry.now ?? entry.result ?? entry.reason ?? '')
  const asked = model.requests[0]?.messages.at(-1)
  seen.set('context', asked !== undefined && 'context' in asked ? String(asked.context) : '')

  for (const [view, words] of Object.entries(given.says)) expect(seen.get(view as View), view).toMatch(words)
  expect(errors).toEqual(given.errors)
  for (const view of ['get_cluster_status', 'context'] as const) {
    expect(seen.get(view)).not.toContain('Nothing needs attention.')
  }
})
