import { everyRight } from '../src/pve-model/access.ts'
import type { Model } from '../src/pve-model/model.ts'
import { Refusal } from '../src/pve-model/refusal.ts'
import { beginTask, endTask, powerStep, type Step } from './power.ts'
import { demand, type FakeRights, rightsHave } from './rights.ts'
import { rrdRows } from './rrd.ts'
import type { FakeGuest, FakeTask, World } from './world.ts'
import { gib } from './world.ts'

/** `rights`: the rights at the time of the request. */
export type Scene = { world: World & { model: Model }; rights: FakeRights; entryNode: string }
type Route = {
  method: 'GET' | 'POST'
  pattern: RegExp
  /** The allowed parameters, each with the pattern of its values. */
  allowed: Record<string, RegExp>
  run(scene: Scene, parts: Record<string, string>, values: Record<string, string>): unknown
}
const whole = /^\d+$/
const rrdAllowed = { timeframe: /^(hour|day|week|month|year)$/, cf: /^(AVERAGE|MAX)$/ }
const services = new Set(
  `chrony corosync cron ksmtuned lxcfs postfix proxmox-firewall pve-cluster pve-firewall pve-ha-crm pve-ha-lrm
  pve-lxc-syscalld pvedaemon pvefw-logger pveproxy pvescheduler pvestatd qmeventd spiceproxy sshd syslog
  systemd-journald systemd-timesyncd`.split(/\s+/),
)

export const routes: Route[] = [
  {
    method: 'GET',
    pattern: /^\/version$/,
    allowed: {},
    run: () => ({ version: '9.2.11', release: '9.2', repoid: 'fake' }),
  },
  { method: 'GET', pattern: /^\/access\/permissions$/, allowed: { path: /./, userid: /./ }, run: permissions },
  {
    method: 'GET',
    pattern: /^\/cluster\/resources$/,
    allowed: { type: /^(vm|storage|node|sdn)$/ },
    run: (scene, _, { type }) => resources(scene).filter((row) => type === undefined || kindOf(row.type) === type),
  },
  {
    method: 'GET',
    pattern: /^\/cluster\/status$/,
    allowed: {},
    run({ world, rights, entryNode }) {
      demand(rights, '/', 'Sys.Audit')
      const isLone = world.nodes.size === 1
      const nodes = [...world.nodes.keys()].map((name, i) => ({
        id: `node/${name}`,
        type: 'node',
        name,
        ip: `10.0.0.${i + 1}`,
        nodeid: isLone ? 0 : i + 1,
        level: '',
        online: world.isOnline(name) ? 1 : 0,
        local: name === entryNode ? 1 : 0,
      }))
      if (isLone) return nodes
      const quorate = world.isQuorate() ? 1 : 0
      return [{ id: 'cluster', type: 'cluster', name: 'fake', nodes: nodes.length, quorate, version: 4 }, ...nodes]
    },
  },
  {
    method: 'GET',
    pattern: /^\/cluster\/tasks$/,
    allowed: {},
    run: (scene) =>
      [...scene.world.nodes.keys()]
        .flatMap((name) => visibleTasks(scene, name).slice(0, 25))
        .map((task) => taskRow(task)),
  },
  {
    method: 'GET',
    pattern: /^\/nodes$/,
    allowed: {},
    run: (scene) => resources(scene).filter(({ type }) => type === 'node'),
  },
  { method: 'GET', pattern: /^\/nodes\/(?<node>[^/]+)\/status$/, allowed: {}, run: nodeStatus },
  {
    method: 'GET',
    pattern: /^\/nodes\/(?<node>[^/]+)\/tasks$/,
    allowed: {
      source: /^(archive|active|all)$/,
      limit: whole,
      start: whole,
      vmid: whole,
      errors: /^[01]$/,
      since: whole,
    },
    run(scene, { node = '' }, { source = 'archive', limit = '50' }) {
      const tasks = visibleTasks(scene, node).filter(({ exitstatus }) =>
        source === 'all' ? true : (exitstatus === undefined) === (source === 'active'),
      )
      return tasks.slice(0, Number(limit)).map((task) => taskRow(task, 'RUNNING'))
    },
  },
  {
    method: 'GET',
    pattern: /^\/nodes\/(?<node>[^/]+)\/tasks\/(?<upid>[^/]+)\/status$/,
    allowed: {},
    run({ world }, { upid }) {
      const task = world.tasks.find((candidate) => candidate.upid === upid)
      if (task === undefined) throw new Refusal(400, 'Parameter verification failed.', { upid: 'no such task' })
      const { exitstatus, endtime: _, ...rest } = task
      return { ...rest, pid: 1_234, pstart: 99, status: exitstatus === undefined ? 'running' : 'stopped', exitstatus }
    },
  },
  {
    method: 'GET',
    pattern: /^\/nodes\/(?<node>[^/]+)\/rrddata$/,
    allowed: rrdAllowed,
    run({ world, rights }, { node = '' }, { timeframe }) {
      demand(rights, `/nodes/${node}`, 'Sys.Audit')
      return rrdRows(world, timeframe, () => ({
        cpu: 0.1,
        maxcpu: 16,
        loadavg: 0.5,
        memused: 20 * gib,
        memtotal: 64 * gib,
        netin: 5e6,
        netout: 5e6,
      }))
    },
  },
  {
    method: 'GET',
    pattern: /^\/nodes\/(?<node>[^/]+)\/(?<type>qemu|lxc)\/(?<vmid>\d+)\/rrddata$/,
    allowed: rrdAllowed,
    run(scene, parts, { timeframe }) {
      const guest = guestAt(scene, parts)
      demand(scene.rights, `/vms/${guest.vmid}`, 'VM.Audit')
      const size = { maxcpu: 4, maxmem: gib, maxdisk: 16 * gib }
      return rrdRows(scene.world, timeframe, (at) => {
        if (guest.status === 'stopped' || at < guest.startedAt) return size
        const disk = guest.type === 'lxc' ? String(2 * gib) : 0
        return { ...size, cpu: 0.1, mem: 0.45 * gib, disk, netin: 1e5, netout: 2e5, diskread: 3e5, diskwrite: 1e5 }
      })
    },
  },
  {
    method: 'GET',
    pattern: /^\/nodes\/(?<node>[^/]+)\/storage\/(?<storage>[^/]+)\/rrddata$/,
    allowed: rrdAllowed,
    run({ world, rights }, { storage = '' }, { timeframe }) {
      demand(rights, `/storage/${storage}`, 'Datastore.Audit', 'Datastore.AllocateSpace')
      const known = world.storages.find(({ name }) => name === storage)
      if (known === undefined) throw new Refusal(500, `storage '${storage}' does not exist`)
      return rrdRows(world, timeframe, () => ({ used: known.used, total: known.total }))
    },
  },
  {
    method: 'POST',
    pattern:
      /^\/nodes\/(?<node>[^/]+)\/(?<type>qemu|lxc)\/(?<vmid>\d+)\/status\/(?<step>start|stop|shutdown|reboot|reset)$/,
    allowed: { timeout: whole, forceStop: /^[01]$/ },
    run(scene, parts) {
      if (parts.type === 'lxc' && parts.step === 'reset') throw new Refusal(501, "Method 'POST' not implemented")
      demand(scene.rights, `/vms/${parts.vmid}`, 'VM.PowerMgmt')
      return powerStep(scene.world, guestAt(scene, parts), parts.step as Step)
    },
  },
  {
    method: 'POST',
    pattern: /^\/nodes\/(?<node>[^/]+)\/services\/(?<service>[^/]+)\/restart$/,
    allowed: {},
    run({ world, rights }, { node = '', service = '' }) {
      demand(rights, `/nodes/${node}`, 'Sys.Modify')
      mustBeService(service)
      const task = beginTask(world, { node, type: 'srvrestart', id: service })
      world.later(1_000, () => endTask(world, task, 'OK'))
      return task.upid
    },
  },
  {
    method: 'GET',
    pattern: /^\/nodes\/(?<node>[^/]+)\/services\/(?<service>[^/]+)\/state$/,
    allowed: {},
    run({ rights }, { node = '', service = '' }) {
      demand(rights, `/nodes/${node}`, 'Sys.Audit')
      mustBeService(service)
      return { name: service, service, state: 'running', 'active-state': 'active', 'unit-state': 'enabled' }
    },
  },
]

function mustBeService(service: string) {
  if (services.has(service)) return
  const words = `value '${service}' does not have a value in the enumeration`
  throw new Refusal(400, 'Parameter verification failed.', { service: words })
}

function permissions({ rights }: Scene) {
  return rights ?? { '/': Object.fromEntries(everyRight.map((right) => [right, 1])) }
}

const kindOf = (type: unknown) => (type === 'qemu' || type === 'lxc' ? 'vm' : type)

function resources({ world, rights }: Scene): Record<string, unknown>[] {
  const nodes = [...world.nodes.values()].map(({ name, lostAt, isStalled }) => {
    const row = { id: `node/${name}`, type: 'node', node: name, status: lostAt === undefined ? 'online' : 'offline' }
    if (lostAt === undefined && isStalled) return { ...row, status: 'unknown' }
    if (!rightsHave(rights, `/nodes/${name}`, 'Sys.Audit') || lostAt !== undefined) return row
    const uptime = Math.floor((world.now() - world.bootedAt) / 1000)
    const use = {
      cpu: 0.05 + Math.random() * 0.1,
      maxcpu: 16,
      mem: 20 * gib,
      maxmem: 64 * gib,
      disk: 9 * gib,
      maxdisk: 90 * gib,
    }
    return { ...row, ...use, uptime, level: '', 'cgroup-mode': 2 }
  })
  const guests = [...world.guests.values()]
    .filter(({ vmid }) => rightsHave(rights, `/vms/${vmid}`, 'VM.Audit'))
    .map((guest) => guestRow(world, guest))
  const storages = world.storages
    .filter(
      ({ name }) =>
        rightsHave(rights, `/storage/${name}`, 'Datastore.Audit') ||
        rightsHave(rights, `/storage/${name}`, 'Datastore.AllocateSpace'),
    )
    .flatMap(({ name, type, shared, content, used, total }) =>
      [...world.nodes.keys()].map((node) => ({
        id: `storage/${node}/${name}`,
        type: 'storage',
        node,
        storage: name,
        plugintype: type,
        content,
        shared: shared ? 1 : 0,
        ...(world.isOnline(node) && !world.nodes.get(node)?.isStalled
          ? { status: 'available', disk: used, maxdisk: total }
          : { status: 'unknown' }),
      })),
    )
  const zone = (node: string) => ({ id: `network/${node}/zone/localnetwork`, type: 'network', 'network-type': 'zone' })
  const zones = ['SDN.Audit', 'SDN.Use'].some((right) => rightsHave(rights, '/sdn/zones/localnetwork', right))
    ? [...world.nodes.keys()].map((node) => ({ ...zone(node), node, network: 'localnetwork', status: 'ok' }))
    : []
  return [...guests, ...nodes, ...storages, ...zones]
}

function guestRow(world: World, guest: FakeGuest): Record<string, unknown> {
  const { vmid, type, node, lock, hastate, template, tags } = guest
  const own = {
    id: `${type}/${vmid}`,
    type,
    node,
    lock,
    hastate,
    tags,
  }
  // Versions up to 7 returned a container's vmid as text.
  const row = { ...own, vmid: type === 'lxc' ? String(vmid) : vmid }
  const said = world.listedOf(guest)
  if (said === undefined) return { ...row, status: 'unknown' }
  return {
    ...row,
    ...said,
    template: template === true ? 1 : 0,
    maxcpu: type === 'lxc' ? '2' : 4,
    maxmem: gib,
    disk: type === 'lxc' ? String(2 * gib) : 0,
    maxdisk: 16 * gib,
    netout: said.netin * 2,
    diskread: said.netin * 3,
    diskwrite: said.netin,
  }
}

function guestAt({ world }: Scene, { node, type, vmid }: Record<string, string>): FakeGuest {
  const guest = world.guests.get(Number(vmid))
  if (guest !== undefined && guest.node === node && guest.type === type) return guest
  const folder = type === 'qemu' ? 'qemu-server' : 'lxc'
  throw new Refusal(500, `Configuration file 'nodes/${node}/${folder}/${vmid}.conf' does not exist`)
}

function visibleTasks({ world, rights }: Scene, node: string): FakeTask[] {
  const [own] = world.options.token.split('=')
  const seesAll = rightsHave(rights, `/nodes/${node}`, 'Sys.Audit')
  return world.tasks.filter((task) => task.node === node && (seesAll || task.user === own))
}

/** A row of the task list. In the cluster's list, running tasks have no status. */
function taskRow({ exitstatus, endtime, ...task }: FakeTask, running?: string) {
  const ended = exitstatus === undefined ? {} : { endtime, status: exitstatus, saved: '1' }
  const [user, tokenid] = task.user.split('!')
  return {
    ...task,
    user,
    tokenid,
    pid: 1_234,
    pstart: 99,
    ...(exitstatus === undefined && running && { status: running }),
    ...ended,
  }
}

function nodeStatus({ world, rights }: Scene, { node = '' }: Record<string, string>) {
  demand(rights, `/nodes/${node}`, 'Sys.Audit')
  return {
    pveversion: 'pve-manager/9.2.11/0123456789abcdef',
    kversion: 'Linux 6.17.2-1-pve #1 SMP',
    'current-kernel': { sysname: 'Linux', release: '6.17.2-1-pve', machine: 'x86_64' },
    cpu: 0.07,
    cpuinfo: { model: 'AMD EPYC 7313P', cpus: 16, cores: 16, sockets: 1, mhz: '2994.375' },
    loadavg: ['0.52', '0.48', '0.40'],
    memory: { used: 20 * gib, free: 44 * gib, available: 44 * gib, total: 64 * gib },
    'boot-info': { mode: 'legacy-bios' },
    rootfs: { used: 9 * gib, total: 90 * gib, avail: 81 * gib, free: 81 * gib },
    uptime: Math.floor((world.now() - world.bootedAt) / 1000),
  }
}
