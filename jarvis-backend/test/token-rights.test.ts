import type { FakeRights } from 'fake-proxmox/server/rights'
import type { PveMethod, PveValues } from 'homelab-ports/ports'
import { describe, expect, test } from 'vitest'
import { baseRights, choices, toolNeeds } from '../src/tools/rights.ts'
import { failingRows } from './support/failing-rows.ts'
import { overHomelab } from './support/house.ts'
import { calm, startProxmox } from './support/start-proxmox.ts'

type Row = [request: string, form: PveValues, needs: string[]]
const [node, vm, nas] = ['/nodes/pve1', '/nodes/pve1/qemu/100', '/nodes/pve1/storage/nas']
const audit = ['/ Sys.Audit']
const nodeAudit = ['/nodes/pve1 Sys.Audit']
const nodeModify = ['/nodes/pve1 Sys.Modify']
const seen = ['/vms/100 VM.Audit']
const agentAudit = ['/vms/100 VM.GuestAgent.Audit|VM.GuestAgent.Unrestricted']
const unrestricted = ['/vms/100 VM.GuestAgent.Unrestricted']

/** The permission that Proxmox VE documents for each request that a tool makes. None: anybody may ask, and the answer is filtered. */
const reads: Row[] = [
  ['/cluster/resources', {}, []],
  ['/cluster/tasks', {}, []],
  ['/cluster/nextid', {}, []],
  ['/access/permissions', {}, []],
  ['/pools', {}, []],
  ['/pools/jarvis-drill', {}, ['/pool/jarvis-drill Pool.Audit']],
  ['/storage', {}, []],
  [`${node}/storage`, {}, []],
  [`${nas}/content`, {}, ['/storage/nas Datastore.Audit|Datastore.AllocateSpace']],
  [`${node}/network`, {}, []],
  [`${node}/replication`, {}, []],
  [`${node}/tasks`, {}, []],
  [`${node}/certificates/info`, {}, []],
  ['/cluster/status', {}, audit],
  ['/cluster/backup', {}, audit],
  ['/cluster/backup-info/not-backed-up', {}, audit],
  ['/cluster/ha/status/current', {}, audit],
  ['/cluster/ha/resources', {}, audit],
  ['/cluster/config/qdevice', {}, audit],
  ['/cluster/firewall/options', {}, audit],
  ['/cluster/firewall/rules', {}, audit],
  [`${node}/firewall/rules`, {}, nodeAudit],
  [`${node}/disks/smart`, { disk: '/dev/sda' }, audit],
  [`${node}/disks/zfs`, {}, audit],
  [`${node}/disks/lvmthin`, {}, audit],
  [`${node}/status`, {}, nodeAudit],
  [`${node}/time`, {}, nodeAudit],
  [`${node}/apt/versions`, {}, nodeAudit],
  [`${node}/apt/repositories`, {}, nodeAudit],
  [`${node}/rrddata`, { timeframe: 'hour' }, nodeAudit],
  [`${node}/services/pvestatd/state`, {}, nodeAudit],
  [`${node}/apt/update`, {}, nodeModify],
  [`${node}/journal`, {}, ['/nodes/pve1 Sys.Syslog']],
  [`${vm}/config`, {}, seen],
  [`${vm}/pending`, {}, seen],
  [`${vm}/status/current`, {}, seen],
  [`${vm}/snapshot`, {}, seen],
  [`${vm}/feature`, { feature: 'snapshot' }, seen],
  [`${vm}/firewall/options`, {}, seen],
  [`${vm}/rrddata`, { timeframe: 'hour' }, seen],
  [`${vm}/migrate`, {}, ['/vms/100 VM.Migrate']],
  [`${vm}/agent/get-osinfo`, {}, agentAudit],
  [`${vm}/agent/get-fsinfo`, {}, agentAudit],
]
const space = '/storage/nas Datastore.AllocateSpace'
const bridge = '/sdn/zones/localnetwork/vmbr0 SDN.Use'
const net = 'virtio,bridge=vmbr0'
/** The same for changes, in an order in which each can be made. */
const changes: Row[] = [
  [`PUT ${vm}/config`, { description: 'x' }, ['/vms/100 VM.Config.Options']],
  [`PUT ${vm}/config`, { cores: '2' }, ['/vms/100 VM.Config.CPU']],
  [`PUT ${vm}/config`, { memory: '2048' }, ['/vms/100 VM.Config.Memory']],
  [`PUT ${vm}/config`, { net1: net }, ['/vms/100 VM.Config.Network', bridge]],
  [`PUT ${vm}/resize`, { disk: 'scsi0', size: '+1G' }, ['/vms/100 VM.Config.Disk']],
  [`POST ${vm}/snapshot`, { snapname: 'one' }, ['/vms/100 VM.Snapshot']],
  [`POST ${vm}/snapshot/one/rollback`, {}, ['/vms/100 VM.Snapshot|VM.Snapshot.Rollback']],
  [`DELETE ${vm}/snapshot/one`, {}, ['/vms/100 VM.Snapshot']],
  [`POST ${vm}/clone`, { newid: '901', full: '1' }, ['/vms/100 VM.Clone', '/vms/901 VM.Allocate', bridge]],
  [`POST ${node}/qemu`, { vmid: '902', storage: 'nas', net0: net }, ['/vms/902 VM.Allocate', space, bridge]],
  [`POST ${vm}/agent/exec`, { command: 'true' }, unrestricted],
  [`POST ${node}/vzdump`, { vmid: '100', storage: 'nas' }, ['/vms/100 VM.Backup', space]],
  [`POST ${node}/services/pvestatd/restart`, {}, nodeModify],
  [`POST ${node}/apt/update`, {}, nodeModify],
  [`PUT ${node}/network/vmbr0`, { type: 'bridge', mtu: '1500' }, nodeModify],
  [`PUT ${node}/network`, {}, nodeModify],
  [`POST ${node}/replication/100-0/schedule_now`, {}, ['/vms/100 VM.Replicate']],
  [`POST ${vm}/status/stop`, {}, ['/vms/100 VM.PowerMgmt']],
  ['POST /nodes/pve2/status', { command: 'reboot' }, ['/nodes/pve2 Sys.PowerMgmt']],
  [`POST ${vm}/migrate`, { target: 'pve2' }, ['/vms/100 VM.Migrate']],
  ['DELETE /nodes/pve1/qemu/102', {}, ['/vms/102 VM.Allocate']],
]

const noOne = { run: () => Promise.reject(new Error('not here')), wake: () => Promise.reject(new Error('not here')) }

describe('the permission of each request', () => {
  test('is asked for by the fake as Proxmox documents it, one after the other', async () => {
    const { fake, cluster } = await startProxmox({ speed: 200 })
    /** The rights without which a request is refused, in the order in which they are asked for. */
    async function demanded([request, form]: Row): Promise<string[]> {
      const [method = 'GET', path = ''] = request.startsWith('/') ? ['GET', request] : request.split(' ')
      const rights: NonNullable<FakeRights> = {}
      const asked: string[] = []
      const segments = path.slice(1).split('/')
      for (;;) {
        await fake.control.setRights(rights)
        try {
          if (method === 'GET') await cluster.api.get(segments, form, calm())
          else await cluster.api.change({ method: method as PveMethod, path: segments, form }, calm())
          return asked
        } catch (error) {
          const { status, words = '' } = error as { status?: number; words?: string }
          const [, at = '', anyOf = ''] = /\((\/[^,]*), ([^)]+)\)/.exec(words) ?? []
          if (status !== 403 || asked.includes(`${at} ${anyOf}`)) return asked
          asked.push(`${at} ${anyOf}`)
          rights[at] = { ...rights[at], [anyOf.split('|')[0] ?? '']: 1 }
        }
      }
    }
    const judge = async (row: Row) => expect((await demanded(row)).sort()).toEqual([...row[2]].sort())
    expect(await failingRows([...reads, ...changes], judge)).toEqual([])
  })

  test('is in the base role or in one choice', () => {
    const given = new Set([...baseRights, ...choices.flatMap(({ rights }) => rights)])
    const needed = [...reads, ...changes].flatMap(([, , needs]) => needs.map((one) => one.split(' ')[1] ?? ''))
    expect(needed.filter((anyOf) => !anyOf.split('|').some((right) => given.has(right)))).toEqual([])
  })
})

/** One call of each tool on the fake cluster, in an order in which each can be made. */
const usual: [tool: string, input: Record<string, unknown>][] = [
  ['get_cluster_status', {}],
  ['get_node_status', { node: 'pve1' }],
  ['get_vms', {}],
  ['get_containers', {}],
  ['get_storage', {}],
  ['get_cluster_resources', {}],
  ['get_recent_tasks', {}],
  ['get_backups', {}],
  ['get_storage_health', {}],
  ['get_uncovered_guests', {}],
  ['get_node_journal', { node: 'pve1' }],
  ['get_updates', { node: 'pve1' }],
  ['get_ha_state', {}],
  ['get_firewall', { vmid: 100 }],
  ['get_node_network', { node: 'pve1' }],
  ['get_replication', {}],
  ['run_replication', { job: '100-0' }],
  ['refresh_package_lists', { node: 'pve1' }],
  ['get_task_log', {}],
  ['restart_service', { node: 'pve1', service: 'pvestatd' }],
  ['set_node_network', { node: 'pve1', iface: 'vmbr0', set: { mtu: '9000' } }],
  ['run_in_guest', { vmid: 100, command: ['hostname'] }],
  ['get_guest_config', { vmid: 100 }],
  ['set_guest_config', { vmid: 100, set: { net1: net, cores: '2', memory: '2048', description: 'x' } }],
  ['resize_disk', { vmid: 100, disk: 'scsi0', addGib: 1 }],
  ['list_snapshots', { vmid: 100 }],
  ['take_snapshot', { vmid: 100, name: 'one' }],
  ['rollback_snapshot', { vmid: 100, name: 'one' }],
  ['delete_snapshot', { vmid: 100, name: 'one' }],
  ['back_up_guest', { vmid: 101, storage: 'nas' }],
  ['clone_guest', { vmid: 101, newId: 901, name: 'a-copy' }],
  [
    'create_guest',
    {
      type: 'vm',
      newId: 902,
      name: 'a-guest',
      node: 'pve1',
      diskGib: 8,
      cores: 1,
      memoryMib: 1024,
      source: 'local:iso/debian-13.2.0-amd64-netinst.iso',
      storage: 'local-zfs',
    },
  ],
  ['restore_guest', { archive: 'NEWEST', newId: 903, name: 'restored', node: 'pve2', storage: 'local-zfs' }],
  ['stop_vm', { vmid: 101 }],
  ['start_vm', { vmid: 101 }],
  ['restart_vm', { vmid: 101 }],
  ['stop_container', { vmid: 201 }],
  ['start_container', { vmid: 201 }],
  ['restart_container', { vmid: 201 }],
  ['migrate_guest', { vmid: 200, target: 'pve2' }],
  ['destroy_guest', { vmid: 102, name: 'spare' }],
  ['reboot_node', { node: 'pve4' }],
  ['shutdown_node', { node: 'pve4' }],
]

test('every tool works with the rights that it names, and with no other', async () => {
  const { fake, cluster, until } = await startProxmox({ speed: 200 })
  await until(({ guests }) => guests.length > 0)
  const newest = (await cluster.backups({ vmid: 101 }, calm())).items[0]?.volumeId ?? ''
  const tools = new Map(
    overHomelab({ cluster, api: cluster.api, shell: noOne, waker: noOne }).map((tool) => [tool.name, tool]),
  )
  // The drill has a test of its own (drill-token.test.ts), and its rights a pool.
  expect(usual.map(([name]) => name).sort()).toEqual(
    [...toolNeeds.keys()].filter((name) => name !== 'drill_restore').sort(),
  )
  const judge = async ([name, input]: (typeof usual)[number]) => {
    const rights: NonNullable<FakeRights> = {}
    for (const { base, right } of toolNeeds.get(name) ?? []) rights[base] = { ...rights[base], [right]: 1 }
    // Without the figures of the nodes nothing can be said of what is online.
    await fake.control.setRights(rights)
    await cluster.readAfresh?.()
    const given = input.archive === undefined ? input : { ...input, archive: newest }
    const tool = tools.get(name)
    const output = await tool?.run(tool.input.parse(given), {
      signal: AbortSignal.timeout(60_000),
      onProgress() {},
      onTask() {},
    })
    expect(output?.isError === true ? output.text : 'well').toBe('well')
  }
  expect(await failingRows(usual, judge)).toEqual([])
})
