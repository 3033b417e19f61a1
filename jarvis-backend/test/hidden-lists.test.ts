import type { FakeRights } from 'fake-proxmox/server/rights'
import { lockHolder } from 'protocol/locks'
import { expect, test } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { clusterChecks } from '../src/doctor/cluster-checks.ts'
import { inspectCluster } from '../src/homelab/connect.ts'
import { setNodeNetwork } from '../src/tools/nodes/set-node-network.ts'
import { baseRights } from '../src/tools/rights.ts'
import { withPorts } from '../src/tools/tool.ts'
import { bridgeDown } from '../src/watch/checks/bridge-down.ts'
import { failingRows } from './support/failing-rows.ts'
import { overHomelab } from './support/house.ts'
import { calm, connectionTo, startProxmox } from './support/start-proxmox.ts'

const given = (...rights: string[]) => Object.fromEntries(rights.map((right) => [right, 1] as const))
const base = given(...baseRights)
const withoutBridges = given(...baseRights.filter((right) => right !== 'SDN.Audit'))
const nobody = () => Promise.reject(new Error('not here'))
const more = { shell: { run: nobody }, waker: { wake: nobody } }

/** A cluster, as a token with these rights sees it. */
async function seenWith(rights: FakeRights) {
  const { fake, cluster, read } = await startProxmox({}, async ({ control }) => {
    await control.setRights(rights ?? null)
    return {}
  })
  await read()
  const homelab = { ...more, cluster, api: cluster.api }
  const tools = new Map(overHomelab(homelab).map((tool) => [tool.name, tool]))
  return {
    fake,
    cluster,
    homelab,
    async run(name: string, input: Record<string, unknown> = {}) {
      const tool = tools.get(name)
      if (tool === undefined) throw new Error(`no tool ${name}`)
      return tool.run(tool.input.parse(input), { ...calm(), onProgress() {}, onTask() {} })
    },
  }
}

const aPart = { '/': given('Sys.Audit', 'Datastore.Audit', 'SDN.Audit'), '/vms/100': given('VM.Audit', 'VM.Backup') }
const noTasks = { '/vms': given('VM.Audit'), '/storage': given('Datastore.Audit'), '/sdn': given('SDN.Audit') }

test('a list that Proxmox filters by rights is told as far as the token sees, and a whole one is not', async () => {
  const rows: [tool: string, input: object, rights: FakeRights, isWhole: boolean][] = [
    ['get_node_network', { node: 'pve1' }, { '/': base }, true],
    ['get_node_network', { node: 'pve1' }, { '/': withoutBridges }, false],
    [
      'get_node_network',
      { node: 'pve1' },
      { '/': withoutBridges, '/sdn/zones/localnetwork/vmbr0': given('SDN.Use') },
      false,
    ],
    ['get_vms', {}, { '/': base }, true],
    ['get_vms', {}, aPart, false],
    ['get_cluster_resources', {}, aPart, false],
    ['get_uncovered_guests', {}, { '/': base }, true],
    ['get_uncovered_guests', {}, aPart, false],
    ['get_replication', {}, aPart, false],
    ['get_storage', {}, { '/': given('Sys.Audit', 'VM.Audit'), '/storage/nas': given('Datastore.Audit') }, false],
    ['get_recent_tasks', {}, { '/': base }, true],
    ['get_backups', { vmid: 100 }, { '/': base }, true],
    ['get_backups', {}, { '/': base, '/vms/101': given('VM.Audit') }, false],
  ]
  const judge = async ([name, input, rights, isWhole]: (typeof rows)[number]) => {
    const { run } = await seenWith(rights)
    const { text } = await run(name, { ...input })
    if (isWhole) expect(text).not.toContain('as far as this token sees')
    else expect(text).toContain('as far as this token sees')
  }
  const nameOf = ([name, , rights]: (typeof rows)[number]) => `${name} with ${JSON.stringify(rights)}`
  expect(await failingRows(rows, judge, nameOf)).toEqual([])
})

test('a bridge that the token may not see is unknown, not absent, for tools, cards and checks', async () => {
  const { homelab, cluster, fake } = await seenWith({ '/': withoutBridges })
  const { data } = (await cluster.api.get(['nodes', 'pve1', 'network'], {}, { ...calm(), isWhole: true })) as {
    data: { type: string }[]
  }
  expect(data.map(({ type }) => type)).not.toContain('bridge')
  const ports = { ...homelab, limits: () => raise(), alerts: () => [] }
  const [tool] = withPorts([setNodeNetwork], ports)
  const asked = { node: 'pve1', iface: 'vmbr0', set: { mtu: '9000' } }
  const refusal = /pve1 shows no interface vmbr0, and whether there is one is not known: .*as far as this token sees/
  await expect(tool?.prepare?.(tool.input.parse(asked), calm())).rejects.toThrow(refusal)
  const look = { api: cluster.api, state: cluster.state(), now: 0, ...calm() }
  await expect(bridgeDown.look(look as unknown as Parameters<typeof bridgeDown.look>[0])).rejects.toThrow(
    /No bridge of pve\d is seen/,
  )
  await fake.control.setRights({ '/': base })
  const absent = { ...asked, iface: 'vmbr9' }
  await expect(tool?.prepare?.(tool.input.parse(absent), calm())).rejects.toThrow(/pve1 has no interface vmbr9\./)
})

function raise(): never {
  throw new Error('not asked')
}

test('what cannot be seen is refused as not seen: a guest, a storage, the task that holds a lock', async () => {
  const { cluster, run } = await seenWith(aPart)
  await expect(run('get_guest_config', { vmid: 101 })).rejects.toThrow(
    'There is no guest 101 as far as this token sees.',
  )
  await expect(cluster.power({ vmid: 101, action: 'stop' }, calm())).rejects.toThrow(
    'no guest 101 as far as this token sees',
  )
  const other = await seenWith(noTasks)
  const state = other.cluster.state()
  expect(state.hidden).toEqual(['tasks'])
  expect(lockHolder({ vmid: 100, node: 'pve1' }, { ...state, tasks: [] })).toBe('unknown')
  expect(lockHolder({ vmid: 100, node: 'pve1' }, { ...state, tasks: [], hidden: [] })).toBe('none')
  expect((await other.run('get_recent_tasks')).text).toMatch(
    /tasks beyond those listed: .*it lacks Sys\.Audit on \/nodes/,
  )
})

test('the doctor tries one read of each kind and tells what is hidden', async () => {
  const { fake } = await seenWith({ '/': withoutBridges })
  const look = async () => {
    const connection = connectionTo(fake)
    const config = readConfig({
      PVE_URL: connection.urls.join(','),
      PVE_TOKEN_ID: connection.tokenId,
      PVE_TOKEN_SECRET: connection.tokenSecret,
      PVE_FINGERPRINT: connection.fingerprints.join(','),
    }).proxmox
    if (config === undefined) throw new Error('no cluster')
    const seen = await inspectCluster(connection, { now: Date.now, ...calm(), tries: true })
    return clusterChecks(config, seen)
  }
  const short = await look()
  const reads = short.filter(({ area }) => area === 'Reads')
  expect(reads.filter(({ health }) => health !== 'ok')).toEqual([
    {
      area: 'Reads',
      health: 'warn',
      text: 'bridges of pve1: 0 seen, and the list goes only as far as this token sees (it lacks SDN.Audit and SDN.Use on /sdn/zones/localnetwork).',
      fix: 'On a node: pveum role modify JARVIS --append 1 --privs "SDN.Audit"',
    },
  ])
  expect(short).toContainEqual(
    expect.objectContaining({
      health: 'warn',
      text: 'get_node_network: shows bridges only as far as this token sees (SDN.Audit on /sdn/zones/localnetwork).',
    }),
  )
  await fake.control.setRights({ '/': base })
  const whole = (await look()).filter(({ area }) => area === 'Reads')
  expect(whole.filter(({ health }) => health !== 'ok')).toEqual([])
  expect(whole.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^bridges of pve1: [1-9]\d* seen\.$/))
  expect(whole.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^guests: 10 seen\.$/))
  await fake.control.setRights({ '/vms': given('VM.Audit') })
  const poor = (await look()).filter(({ area, health }) => area === 'Reads' && health === 'warn')
  expect(poor.map(({ text }) => text)).toContainEqual(
    expect.stringMatching(/^backup jobs: not visible to this token: .*Sys\.Audit/),
  )
})
