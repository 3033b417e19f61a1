import type { GuestMarks } from 'homelab-ports/guest-identity'
import { newest } from 'homelab-ports/newest-tasks'
import type { CallOptions, Cluster, NodeDetail, Partial, Temperature } from 'homelab-ports/ports'
import type { Backup, ClusterState, Task } from 'protocol'
import { pbsWriter } from '../pbs-model.ts'
import { backupServer } from './demo-lab.ts'
import { kernel, pveVersion, serviceName, unitOf } from './facts.ts'
import type { Metrics } from './metrics.ts'
import { pastOf } from './past.ts'
import { power } from './power.ts'
import { isActive, snapshot } from './snapshot.ts'
import { beginTask, endTask } from './tasks.ts'
import type { SimNode, World } from './world.ts'

/** `marks`: the method `Cluster.marks`; it returns undefined if there is no such guest. */
type ClusterParts = {
  world: World
  metrics: Metrics
  protectedTargets: ReadonlySet<string>
  marks(vmid: number): GuestMarks | undefined
}

export function createCluster({ world, metrics, protectedTargets, marks }: ClusterParts): Cluster {
  let seen: { version: number; state: ClusterState } | undefined
  /** Begins a call about a node. @throws JarvisError `not_found`, `cluster_unreachable`; the signal's reason */
  const arriveAt = async (name: string, signal: AbortSignal) => {
    await world.arrive(signal)
    return world.onlineNode(name)
  }

  return {
    state() {
      metrics.upToNow()
      const version = world.version()
      if (seen?.version !== version) seen = { version, state: snapshot(world, protectedTargets) }
      return seen.state
    },
    watch: (listener) => metrics.watch(listener),
    marks,
    knownBackups: () => ({
      items: world.backups.map(asListed),
      isWhole: world.storages.every((storage) => !storage.content.includes('backup') || isActive(world, storage)),
    }),
    writerOf: (storage) => (storage === backupServer.storage ? pbsWriter : undefined),
    async nodeDetail(name, { signal }) {
      await world.arrive(signal)
      metrics.upToNow()
      return detailOf(world.onlineNode(name), world.clock.now())
    },
    async temperature(name, { signal }) {
      await world.arrive(signal)
      metrics.upToNow()
      return temperatureOf(world.onlineNode(name))
    },
    async tasks(query, { signal }) {
      await world.arrive(signal)
      return tasksOf(world, query)
    },
    async backups(query, { signal }) {
      await world.arrive(signal)
      return backupsOf(world, query)
    },
    async *history(span, { signal }) {
      for (const past of pastOf(world, span)) {
        signal.throwIfAborted()
        yield past
      }
    },
    power: (request, options) => power(world, request, options),
    async unit(name, service, { signal }) {
      await arriveAt(name, signal)
      return unitOf(service, world.unitChanges)
    },
    async restartService(name, service, options) {
      await arriveAt(name, options.signal)
      return restart(world, { node: name, service }, options)
    },
    close() {
      metrics.stop()
      world.close()
    },
  }
}

const detailOf = (node: SimNode, now: number): NodeDetail => ({
  name: node.name,
  version: pveVersion,
  kernel,
  cpuModel: node.cpuModel,
  cpuCount: node.cpuCount,
  cpuRatio: node.cpuRatio,
  load: [node.load1, node.load1 * 0.97, node.load1 * 0.93],
  ramBytes: Math.round(node.ramBytes),
  ramTotalBytes: Math.round(node.ramTotalBytes),
  rootBytes: node.rootBytes,
  rootTotalBytes: node.rootTotalBytes,
  uptimeS: Math.floor((now - node.bootedAt) / 1000),
})

function temperatureOf({ sensor, temperatureC }: SimNode): Temperature {
  const celsius = Math.round(temperatureC * 10) / 10
  const disk = Math.round((32 + temperatureC * 0.2) * 10) / 10
  return {
    celsius,
    sensor,
    all: [
      { sensor, celsius },
      { sensor: 'Composite', celsius: disk },
    ],
  }
}

/** @throws JarvisError `not_found` */
function tasksOf(world: World, { node, type, limit }: Parameters<Cluster['tasks']>[0]): Partial<Task> {
  if (node !== undefined) world.node(node)
  const isThere = (name: string) => world.nodes.get(name)?.offlineSince === undefined
  const items = world.tasks.filter(
    (task) =>
      isThere(task.node) && (node === undefined || task.node === node) && (type === undefined || task.type === type),
  )
  return { items: newest(items, limit), missing: missingFor(world, node) }
}

/** @throws JarvisError `not_found` */
function backupsOf(world: World, { node, storage, vmid }: Parameters<Cluster['backups']>[0]): Partial<Backup> {
  if (node !== undefined) world.node(node)
  const asked = world.storages.filter(
    ({ name, content }) => content.includes('backup') && (storage === undefined || name === storage),
  )
  const unread = asked.filter((candidate) => !isActive(world, candidate)).map(({ name }) => `${name} is not reachable`)
  const readable = new Set(asked.filter((candidate) => isActive(world, candidate)).map(({ name }) => name))
  const items = world.backups.filter(
    (backup) =>
      readable.has(backup.storage) &&
      (node === undefined || backup.node === node) &&
      (vmid === undefined || backup.vmid === vmid),
  )
  return {
    items: items.sort((a, b) => b.createdAt - a.createdAt).map(asListed),
    missing: [...missingFor(world, node), ...unread],
    isUnread: unread.length > 0 && readable.size === 0,
  }
}

async function restart(
  world: World,
  { node, service }: { node: string; service: string },
  { signal, onProgress, onTask }: CallOptions,
): Promise<{ ok: boolean; message: string }> {
  world.record('service', `${service}@${node}`)
  const unit = serviceName(service)
  if (unitOf(unit, world.unitChanges).loadState === 'not-found')
    return { ok: false, message: `Unit ${unit}.service not found.` }
  const task = beginTask(world, { node, type: 'srvrestart', id: unit })
  const ms = 1_500
  world.later(ms, () => endTask(world, task.upid, 'OK'))
  onTask?.(task.upid)
  onProgress?.(`Task ${task.type} running`)
  await world.wait(ms, signal)
  world.onlineNode(node)
  return { ok: true, message: `${unit}.service is active (running).` }
}

/** Proxmox does not list the owner that a backup server stores for a backup. */
const asListed = ({ owner: _, ...backup }: Backup): Backup => backup

const missingFor = (world: World, node: string | undefined) =>
  world.missing().filter((line) => node === undefined || line === `${node} is offline`)
