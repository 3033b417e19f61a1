import { present } from 'node-kit/present'
import type { HostGuest, HostStorage, PveHost } from '../pve-model/host.ts'
import { demoFacts } from './demo-facts.ts'
import { journalEntries } from './journal.ts'
import { nodePower } from './node-power.ts'
import { bootGuest, powerStep } from './power.ts'
import { isActive } from './snapshot.ts'
import { beginTask, endTask } from './tasks.ts'
import { type SimGuest, simGuest, type World } from './world.ts'

/** The demo's world as the model of Proxmox sees it. */
export function createPveHost(world: World): PveHost {
  const storageAt = (name: string, node: string) =>
    world.storages.find((storage) => storage.name === name && (storage.node === undefined || storage.node === node))
  return {
    now: () => world.clock.now(),
    since: (at) => (world.clock.now() - at) * world.speed,
    later: world.later,
    isQuorate: world.isQuorate,
    nodes: () =>
      [...world.nodes.values()].map(({ name, offlineSince, ramBytes, ramTotalBytes }) => ({
        name,
        isOnline: offlineSince === undefined,
        ramBytes,
        ramTotalBytes,
      })),

    guests: () => [...world.guests.values()].map(guestOf),
    guest(vmid) {
      const guest = world.guests.get(vmid)
      return guest && guestOf(guest)
    },
    changeGuest(vmid, change) {
      const { ramBytes, diskBytes, tags, ...same } = change
      Object.assign(world.guest(vmid), same, {
        ...(ramBytes !== undefined && { ramTotalBytes: ramBytes }),
        ...(diskBytes !== undefined && { diskTotalBytes: diskBytes }),
        ...(tags !== undefined && { tags: [...tags] }),
      })
      world.changed()
    },
    addGuest({ type, ramBytes, diskBytes, tags, status, isTemplate, lock, isHeld, ...same }) {
      const spec = { cpuRatio: 0.02, ramRatio: 0.3, diskRatio: 0.3, netBps: 10_000 }
      const size = { ramTotalBytes: ramBytes, diskTotalBytes: diskBytes }
      const made = simGuest(
        { ...spec, ...size, ...same, type: type === 'qemu' ? 'vm' : 'ct', tags: [...tags] },
        world.clock.now(),
      )
      world.guests.set(same.vmid, { ...made, status, isTemplate, lock, isHeld })
      world.changed()
    },
    removeGuest(vmid) {
      world.guests.delete(vmid)
      world.changed()
    },
    power: (vmid, step) => powerStep(world, world.guest(vmid), step),
    bootGuest(vmid) {
      bootGuest(world, world.guest(vmid))
      world.changed()
    },

    storages: () =>
      world.storages.map(
        ({ node, ...storage }): HostStorage => ({
          ...storage,
          isShared: node === undefined,
          ...(node !== undefined && { nodes: [node] }),
        }),
      ),
    isActive(name, node) {
      const storage = storageAt(name, node)
      return storage !== undefined && isActive(world, storage)
    },
    useStorage(name, node, bytes) {
      const storage = storageAt(name, node)
      if (storage !== undefined) storage.usedBytes = Math.max(0, storage.usedBytes + bytes)
      world.changed()
    },

    backups: () =>
      world.backups.map(({ volumeId, createdAt, node, ...same }) => ({
        ...same,
        node,
        volid: volumeId,
        ctime: Math.floor(createdAt / 1000),
      })),
    addBackup({ volid, ctime, node, notes = '', owner, verification, ...same }) {
      const more = { ...present({ node, owner, verification }), ...(notes !== '' && { notes }) }
      world.backups.push({ ...same, ...more, volumeId: volid, createdAt: ctime * 1000 })
      noteNewest(same.vmid)
    },
    removeBackup(volid) {
      const index = world.backups.findIndex(({ volumeId }) => volumeId === volid)
      const [gone] = index < 0 ? [] : world.backups.splice(index, 1)
      if (gone !== undefined) noteNewest(gone.vmid)
    },

    tasks: () =>
      world.tasks.map(({ upid, node, type, user, startedAt, endedAt, exitStatus }) => ({
        upid,
        node,
        type,
        user,
        startedAt,
        id: upid.split(':')[6] ?? '',
        endedAt,
        exitStatus,
      })),
    beginTask: (node, type, id) =>
      beginTask(world, { node, type, ...(/^\d+$/.test(id) ? { vmid: Number(id) } : { id }) }).upid,
    endTask: (upid, exitStatus) => endTask(world, upid, exitStatus),

    facts: demoFacts(world.startedAt),
    journal: (node) => journalEntries(world, world.node(node)),
    nodePower: (node, command) => nodePower(world, node, command),
    setReached(name, isReached) {
      const node = world.node(name)
      node.offlineSince = isReached ? undefined : (node.offlineSince ?? world.clock.now())
      world.changed()
    },
  }

  function noteNewest(vmid: number) {
    const guest = world.guests.get(vmid)
    const own = world.backups.filter((backup) => backup.vmid === vmid)
    if (guest !== undefined)
      guest.backupAt = own.length === 0 ? undefined : Math.max(...own.map((one) => one.createdAt))
    world.changed()
  }
}

function guestOf(guest: SimGuest): HostGuest {
  const { vmid, node, name, status, lock, isHeld, isHa, startedAt, cpuCount } = guest
  return {
    vmid,
    node,
    name,
    status,
    lock,
    isHeld,
    isHa,
    startedAt,
    cpuCount,
    type: guest.type === 'vm' ? 'qemu' : 'lxc',
    tags: [...guest.tags],
    isTemplate: guest.isTemplate,
    ramBytes: guest.ramTotalBytes,
    diskBytes: guest.diskTotalBytes,
  }
}
