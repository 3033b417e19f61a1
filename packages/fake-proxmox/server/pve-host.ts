import type { HostGuest, PveHost } from '../src/pve-model/host.ts'
import { fakeFacts, fakeJournal } from './facts.ts'
import { beginTask, endTask, powerStep } from './power.ts'
import { type FakeGuest, gib, type World } from './world.ts'

/** The fake cluster's world as the model of Proxmox sees it. */
export function createPveHost(world: World): PveHost {
  const guestAt = (vmid: number) => {
    const guest = world.guests.get(vmid)
    if (guest === undefined) throw new Error(`no guest ${vmid}`)
    return guest
  }
  return {
    now: world.now,
    since: (at) => world.now() - at,
    later: world.later,
    isQuorate: world.isQuorate,
    nodes: () =>
      [...world.nodes.keys()].map((name) => ({
        name,
        isOnline: world.isOnline(name),
        ramBytes: 20 * gib,
        ramTotalBytes: 64 * gib,
      })),

    guests: () => [...world.guests.values()].map(guestOf),
    guest(vmid) {
      const guest = world.guests.get(vmid)
      return guest && guestOf(guest)
    },
    changeGuest(vmid, change) {
      const { isTemplate, tags, lock, isHa, ...same } = change
      const guest = guestAt(vmid)
      Object.assign(guest, same, {
        ...(isTemplate !== undefined && { template: isTemplate }),
        ...(tags !== undefined && { tags: tags.join(';') }),
        ...(lock !== undefined && { lock }),
        ...(isHa === true && { hastate: 'started' }),
      })
      if (lock === undefined && 'lock' in change) delete guest.lock
    },
    addGuest(guest) {
      world.add({ ...fakeOf(guest), netin: 0 })
    },
    removeGuest(vmid) {
      world.guests.delete(vmid)
      world.listed.delete(vmid)
    },
    power: (vmid, step) => powerStep(world, guestAt(vmid), step),
    bootGuest(vmid) {
      Object.assign(guestAt(vmid), { status: 'running', startedAt: world.now() })
    },

    storages: () =>
      world.storages.map(({ name, type, shared, content, used, total, nodes }) => ({
        name,
        type,
        isShared: shared,
        content: content.split(','),
        usedBytes: used,
        totalBytes: total,
        nodes,
      })),
    isActive: (name, node) =>
      world.isOnline(node) &&
      world.storages.some((storage) => storage.name === name && (storage.nodes?.includes(node) ?? true)),
    useStorage(name, _, bytes) {
      const storage = world.storages.find((one) => one.name === name)
      if (storage !== undefined) storage.used = Math.max(0, storage.used + bytes)
    },

    backups: () => world.backups.map(({ size, ...same }) => ({ ...same, sizeBytes: size })),
    addBackup: ({ sizeBytes, node = '', ...same }) => void world.backups.push({ ...same, node, size: sizeBytes }),
    removeBackup(volid) {
      const index = world.backups.findIndex((backup) => backup.volid === volid)
      if (index >= 0) world.backups.splice(index, 1)
    },

    tasks: () =>
      world.tasks.map(({ starttime, endtime, exitstatus, ...same }) => ({
        ...same,
        startedAt: starttime * 1000,
        ...(endtime !== undefined && { endedAt: endtime * 1000 }),
        ...(exitstatus !== undefined && { exitStatus: exitstatus }),
      })),
    beginTask: (node, type, id) => beginTask(world, node, type, id).upid,
    endTask(upid, exitStatus) {
      const task = world.tasks.find((one) => one.upid === upid)
      if (task !== undefined) endTask(world, task, exitStatus)
    },

    facts: fakeFacts(world.now()),
    journal: (node) => fakeJournal(node, world.now()),
    setReached(name, isReached) {
      const node = world.nodes.get(name)
      if (node !== undefined) node.lostAt = isReached ? undefined : (node.lostAt ?? world.now())
      world.renewList()
    },
    nodePower(name, command) {
      const node = world.nodes.get(name)
      world.later(2_000, () => {
        if (node !== undefined) node.lostAt = world.now()
        for (const guest of world.guests.values()) if (guest.node === name) guest.status = 'stopped'
      })
      if (command === 'shutdown') return
      world.later(30_000, () => {
        if (node !== undefined) node.lostAt = undefined
        world.renewList()
      })
    },
  }
}

function guestOf(guest: FakeGuest): HostGuest {
  const { vmid, type, node, name, status, lock, startedAt, template, tags, isHeld, hastate } = guest
  return {
    vmid,
    type,
    node,
    name,
    status,
    lock,
    startedAt,
    tags: tags?.split(';').filter((tag) => tag !== '') ?? [],
    isTemplate: template === true,
    isHeld: isHeld === true,
    isHa: hastate !== undefined,
    cpuCount: type === 'lxc' ? 2 : 4,
    ramBytes: guest.ramBytes ?? gib,
    diskBytes: guest.diskBytes ?? 16 * gib,
  }
}

function fakeOf({ tags, isTemplate, isHa: _, cpuCount: __, lock, ...same }: HostGuest) {
  return {
    ...same,
    ...(lock !== undefined && { lock }),
    ...(isTemplate && { template: true }),
    ...(tags.length > 0 && { tags: tags.join(';') }),
  }
}
