import type { GuestMarks } from 'homelab-ports/guest-identity'
import { newest } from 'homelab-ports/newest-tasks'
import type { Cluster } from 'homelab-ports/ports'
import type { Backup, ClusterState } from 'protocol'
import { pbsWriter } from '../pbs-model.ts'
import { backupServer } from './demo-lab.ts'
import { kernel, pveVersion, serviceName, unitOf } from './facts.ts'
import type { Metrics } from './metrics.ts'
import { pastOf } from './past.ts'
import { power } from './power.ts'
import { isActive, snapshot } from './snapshot.ts'
import { beginTask, endTask } from './tasks.ts'
import type { World } from './world.ts'

/** @param marks as `Cluster.marks`; undefined where there is no such guest */
export function createCluster(
  world: World,
  metrics: Metrics,
  protectedTargets: ReadonlySet<string>,
  marks: (vmid: number) => GuestMarks | undefined,
): Cluster {
  let seen: { version: number; state: ClusterState } | undefined

  return {
    state() {
      metrics.upToNow()
      const version = world.version()
      if (seen?.version !== version) seen = { version, state: snapshot(world, protectedTargets) }
      return seen.state
    },

    watch: metrics.watch,

    marks,
    knownBackups: () => ({
      items: world.backups.map(asListed),
      isWhole: world.storages.every((storage) => !storage.content.includes('backup') || isActive(world, storage)),
    }),
    writerOf: (storage) => (storage === backupServer.storage ? pbsWriter : undefined),

    async nodeDetail(name, { signal }) {
      await world.arrive(signal)
      metrics.upToNow()
      const node = world.onlineNode(name)
      return {
        name,
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
        uptimeS: Math.floor((world.clock.now() - node.bootedAt) / 1000),
      }
    },

    async temperature(name, { signal }) {
      await world.arrive(signal)
      metrics.upToNow()
      const { sensor, temperatureC } = world.onlineNode(name)
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
    },

    async tasks({ node, type, limit }, { signal }) {
      await world.arrive(signal)
      if (node !== undefined) world.node(node)
      const isThere = (name: string) => world.nodes.get(name)?.offlineSince === undefined
      const items = world.tasks.filter(
        (task) =>
          isThere(task.node) &&
          (node === undefined || task.node === node) &&
          (type === undefined || task.type === type),
      )
      return { items: newest(items, limit), missing: missingFor(world, node) }
    },

    async backups({ node, storage, vmid }, { signal }) {
      await world.arrive(signal)
      if (node !== undefined) world.node(node)
      const asked = world.storages.filter(
        ({ name, content }) => content.includes('backup') && (storage === undefined || name === storage),
      )
      const unread = asked
        .filter((candidate) => !isActive(world, candidate))
        .map(({ name }) => `${name} is not reachable`)
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
    },

    async *history(span, { signal }) {
      for (const past of pastOf(world, span)) {
        signal.throwIfAborted()
        yield past
      }
    },

    power: (vmid, action, force, options) => power(world, vmid, action, force, options),

    async unit(name, service, { signal }) {
      await world.arrive(signal)
      world.onlineNode(name)
      return unitOf(service, world.unitChanges)
    },

    async restartService(name, service, { signal, onProgress, onTask }) {
      await world.arrive(signal)
      world.onlineNode(name)
      world.record('service', `${service}@${name}`)
      const unit = serviceName(service)
      if (unitOf(unit, world.unitChanges).loadState === 'not-found')
        return { ok: false, message: `Unit ${unit}.service not found.` }
      const task = beginTask(world, { node: name, type: 'srvrestart', id: unit })
      const ms = 1_500
      world.later(ms, () => endTask(world, task.upid, 'OK'))
      onTask?.(task.upid)
      onProgress?.(`Task ${task.type} running`)
      await world.wait(ms, signal)
      world.onlineNode(name)
      return { ok: true, message: `${unit}.service is active (running).` }
    },

    close() {
      metrics.stop()
      world.close()
    },
  }
}

/** Proxmox does not list whom a backup server says a backup belongs to. */
const asListed = ({ owner: _, ...backup }: Backup): Backup => backup

const missingFor = (world: World, node: string | undefined) =>
  world.missing().filter((line) => node === undefined || line === `${node} is offline`)
