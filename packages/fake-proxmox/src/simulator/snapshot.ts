import { newest } from 'homelab-ports/newest-tasks'
import { madeAtIn } from 'homelab-ports/same-guest'
import type { ClusterState, Guest, Node, Storage } from 'protocol'
import { backupServer, type StorageSpec } from './demo-lab.ts'
import { diskRate } from './metrics.ts'
import type { SimGuest, SimNode, World } from './world.ts'

const round = (value: number, digits: 1 | 2 | 3) => Math.round(value * 10 ** digits) / 10 ** digits

/** The moment of a snapshot, and the targets that it shows as protected. */
type Shot = { at: number; protectedTargets: ReadonlySet<string> }

/** Returns the cluster's state in the form that clients receive. */
export function snapshot(world: World, protectedTargets: ReadonlySet<string>): ClusterState {
  const at = world.clock.now()
  const shot = { at, protectedTargets }
  return {
    name: 'homelab',
    isDemo: true,
    at,
    nodes: [...world.nodes.values()].map((node) => nodeView(node, shot)),
    guests: [...world.guests.values()].map((guest) => guestView(world, guest, shot)),
    storages: world.storages.map((storage) => storageView(world, storage)),
    tasks: newest(world.tasks, 20),
    isQuorate: world.isQuorate(),
    self: world.self,
    missing: world.missing(),
  }
}

function nodeView(node: SimNode, { at, protectedTargets }: Shot): Node {
  const who = { name: node.name, role: node.role, isProtected: protectedTargets.has(`node/${node.name}`) }
  if (node.offlineSince !== undefined) return { ...who, status: 'offline', lastSeenAt: node.offlineSince }
  return {
    ...who,
    status: 'online',
    cpuRatio: round(node.cpuRatio, 3),
    cpuCount: node.cpuCount,
    ramBytes: Math.round(node.ramBytes),
    ramTotalBytes: Math.round(node.ramTotalBytes),
    uptimeS: Math.floor((at - node.bootedAt) / 1000),
    load1: round(node.load1, 2),
    temperatureC: round(node.temperatureC, 1),
  }
}

function guestView(world: World, guest: SimGuest, { at, protectedTargets }: Shot): Guest {
  const status = world.statusOf(guest)
  const isUp = status === 'running' || status === 'paused'
  const madeAt = madeAtIn(guest.vmid, world.tasks)
  // As on a real cluster: an unreadable storage may hold a backup, so `backupAt` is null (unknown).
  const isHidden = world.storages.some((storage) => storage.content.includes('backup') && !isActive(world, storage))
  const backupAt = guest.backupAt ?? (isHidden ? null : undefined)
  const diskBytes = guest.diskRatio * guest.diskTotalBytes
  return {
    vmid: guest.vmid,
    name: guest.name,
    type: guest.type,
    node: guest.node,
    status,
    isProtected: protectedTargets.has(`${guest.type}/${guest.vmid}`),
    uptimeS: isUp ? Math.max(0, Math.floor((at - guest.startedAt) / 1000)) : 0,
    cpuRatio: status === 'running' ? round(guest.cpuRatio, 3) : 0,
    cpuCount: guest.cpuCount,
    ramBytes: isUp ? Math.round(guest.ramRatio * guest.ramTotalBytes) : 0,
    ramTotalBytes: guest.ramTotalBytes,
    diskBytes: Math.round(diskBytes),
    diskTotalBytes: guest.diskTotalBytes,
    ...(status === 'running' && {
      netInBps: Math.round(guest.netBps * 0.6),
      netOutBps: Math.round(guest.netBps * 0.4),
      diskBps: diskRate(guest),
    }),
    lock: guest.lock,
    isHa: guest.isHa,
    ...haStateOf(guest),
    ...(status === 'unknown' && { uptimeS: null, cpuRatio: null, ramBytes: null, diskBytes: null }),
    tags: guest.tags,
    backupAt,
    madeAt,
  }
}

function haStateOf({ isHa, haState, status }: SimGuest): { haState?: string } {
  if (haState !== undefined) return { haState }
  return isHa ? { haState: status === 'stopped' ? 'stopped' : 'started' } : {}
}

function storageView(world: World, storage: StorageSpec): Storage {
  const isAway = storage.node !== undefined && world.nodes.get(storage.node)?.offlineSince !== undefined
  return isAway ? { ...storage, isActive: null, usedBytes: null } : { ...storage, isActive: isActive(world, storage) }
}

/** True if a storage can be read now. */
export function isActive(world: World, storage: StorageSpec): boolean {
  if (storage.node !== undefined) return world.nodes.get(storage.node)?.offlineSince === undefined
  if (storage.name !== backupServer.storage) return true
  const server = world.guests.get(backupServer.vmid)
  const node = server && world.nodes.get(server.node)
  return server?.status === 'running' && node !== undefined && node.offlineSince === undefined
}
