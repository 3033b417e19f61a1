import { present } from 'node-kit/present'
import type { HostBackup, HostGuest, HostNode, HostStorage, HostTask, PowerStep, PveHost } from '../pve-model/host.ts'
import type { ClusterFacts } from '../pve-model/nodes/facts.ts'
import { demoFacts } from './demo-facts.ts'
import type { StorageSpec } from './demo-lab.ts'
import { journalEntries } from './journal.ts'
import { nodePower } from './node-power.ts'
import { bootGuest, powerStep } from './power.ts'
import { isActive } from './snapshot.ts'
import { beginTask, endTask } from './tasks.ts'
import { type SimGuest, simGuest, type World } from './world.ts'

/** Gives the model of Proxmox access to the demo's world. */
export class DemoHost implements PveHost {
  readonly #world: World
  readonly facts: ClusterFacts

  constructor(world: World) {
    this.#world = world
    this.facts = demoFacts(world.startedAt)
  }

  now(): number {
    return this.#world.clock.now()
  }

  since(at: number): number {
    return (this.#world.clock.now() - at) * this.#world.speed
  }

  later(ms: number, run: () => void): void {
    this.#world.later(ms, run)
  }

  isQuorate(): boolean {
    return this.#world.isQuorate()
  }

  nodes(): HostNode[] {
    return [...this.#world.nodes.values()].map(({ name, offlineSince, ramBytes, ramTotalBytes }) => ({
      name,
      isOnline: offlineSince === undefined,
      ramBytes,
      ramTotalBytes,
    }))
  }

  guests(): HostGuest[] {
    return [...this.#world.guests.values()].map(guestOf)
  }

  guest(vmid: number): HostGuest | undefined {
    const guest = this.#world.guests.get(vmid)
    return guest && guestOf(guest)
  }

  changeGuest(vmid: number, change: Parameters<PveHost['changeGuest']>[1]): void {
    const { ramBytes, diskBytes, tags, ...same } = change
    Object.assign(this.#world.guest(vmid), same, {
      ...(ramBytes !== undefined && { ramTotalBytes: ramBytes }),
      ...(diskBytes !== undefined && { diskTotalBytes: diskBytes }),
      ...(tags !== undefined && { tags: [...tags] }),
    })
    this.#world.changed()
  }

  addGuest({ type, ramBytes, diskBytes, tags, status, isTemplate, lock, isHeld, ...same }: HostGuest): void {
    const spec = { cpuRatio: 0.02, ramRatio: 0.3, diskRatio: 0.3, netBps: 10_000 }
    const size = { ramTotalBytes: ramBytes, diskTotalBytes: diskBytes }
    const made = simGuest(
      { ...spec, ...size, ...same, type: type === 'qemu' ? 'vm' : 'ct', tags: [...tags] },
      this.#world.clock.now(),
    )
    this.#world.guests.set(same.vmid, { ...made, status, isTemplate, lock, isHeld })
    this.#world.changed()
  }

  removeGuest(vmid: number): void {
    this.#world.guests.delete(vmid)
    this.#world.changed()
  }

  power(vmid: number, step: PowerStep): string {
    return powerStep(this.#world, this.#world.guest(vmid), step)
  }

  bootGuest(vmid: number): void {
    bootGuest(this.#world, this.#world.guest(vmid))
    this.#world.changed()
  }

  storages(): HostStorage[] {
    return this.#world.storages.map(({ node, ...storage }) => ({
      ...storage,
      isShared: node === undefined,
      nodes: node === undefined ? undefined : [node],
    }))
  }

  isActive(name: string, node: string): boolean {
    const storage = this.#storageAt(name, node)
    return storage !== undefined && isActive(this.#world, storage)
  }

  useStorage(name: string, node: string, bytes: number): void {
    const storage = this.#storageAt(name, node)
    if (storage !== undefined) storage.usedBytes = Math.max(0, storage.usedBytes + bytes)
    this.#world.changed()
  }

  backups(): HostBackup[] {
    return this.#world.backups.map(({ volumeId, createdAt, node, ...same }) => ({
      ...same,
      node,
      volid: volumeId,
      ctime: Math.floor(createdAt / 1000),
    }))
  }

  addBackup({ volid, ctime, node, notes = '', owner, verification, ...same }: HostBackup): void {
    const more = { ...present({ node, owner, verification }), ...(notes !== '' && { notes }) }
    this.#world.backups.push({ ...same, ...more, volumeId: volid, createdAt: ctime * 1000 })
    this.#noteNewest(same.vmid)
  }

  removeBackup(volid: string): void {
    const { backups } = this.#world
    const index = backups.findIndex(({ volumeId }) => volumeId === volid)
    const [gone] = index < 0 ? [] : backups.splice(index, 1)
    if (gone !== undefined) this.#noteNewest(gone.vmid)
  }

  tasks(): HostTask[] {
    return this.#world.tasks.map(({ upid, node, type, user, startedAt, endedAt, exitStatus }) => ({
      upid,
      node,
      type,
      user,
      startedAt,
      id: upid.split(':')[6] ?? '',
      endedAt,
      exitStatus,
    }))
  }

  beginTask(node: string, type: string, id: string): string {
    return beginTask(this.#world, { node, type, ...(/^\d+$/.test(id) ? { vmid: Number(id) } : { id }) }).upid
  }

  endTask(upid: string, exitStatus: string): void {
    endTask(this.#world, upid, exitStatus)
  }

  journal(node: string): readonly { at: number; line: string }[] {
    return journalEntries(this.#world, this.#world.node(node))
  }

  nodePower(node: string, command: 'reboot' | 'shutdown'): void {
    nodePower(this.#world, node, command)
  }

  setReached(name: string, isReached: boolean): void {
    const node = this.#world.node(name)
    node.offlineSince = isReached ? undefined : (node.offlineSince ?? this.#world.clock.now())
    this.#world.changed()
  }

  #storageAt(name: string, node: string): StorageSpec | undefined {
    return this.#world.storages.find(
      (storage) => storage.name === name && (storage.node === undefined || storage.node === node),
    )
  }

  #noteNewest(vmid: number): void {
    const guest = this.#world.guests.get(vmid)
    const own = this.#world.backups.filter((backup) => backup.vmid === vmid)
    if (guest !== undefined)
      guest.backupAt = own.length === 0 ? undefined : Math.max(...own.map((one) => one.createdAt))
    this.#world.changed()
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
