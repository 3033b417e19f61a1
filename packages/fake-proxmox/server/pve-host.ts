import type {
  HostBackup,
  HostGuest,
  HostNode,
  HostStorage,
  HostTask,
  PowerStep,
  PveHost,
} from '../src/pve-model/host.ts'
import type { ClusterFacts } from '../src/pve-model/nodes/facts.ts'
import { fakeFacts, fakeJournal } from './facts.ts'
import { beginTask, endTask, powerStep } from './power.ts'
import { type FakeGuest, gib, type World } from './world.ts'

/** Gives the model of Proxmox access to the fake cluster's world. */
export class FakeHost implements PveHost {
  readonly #world: World
  readonly facts: ClusterFacts

  constructor(world: World) {
    this.#world = world
    this.facts = fakeFacts(world.now())
  }

  now(): number {
    return this.#world.now()
  }

  since(at: number): number {
    return this.#world.now() - at
  }

  later(ms: number, run: () => void): void {
    this.#world.later(ms, run)
  }

  isQuorate(): boolean {
    return this.#world.isQuorate()
  }

  nodes(): HostNode[] {
    return [...this.#world.nodes.keys()].map((name) => ({
      name,
      isOnline: this.#world.isOnline(name),
      ramBytes: 20 * gib,
      ramTotalBytes: 64 * gib,
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
    const { isTemplate, tags, lock, isHa, ...same } = change
    const guest = this.#guestAt(vmid)
    Object.assign(guest, same, {
      ...(isTemplate !== undefined && { template: isTemplate }),
      ...(tags !== undefined && { tags: tags.join(';') }),
      ...(lock !== undefined && { lock }),
      ...(isHa === true && { hastate: 'started' }),
    })
    if (lock === undefined && 'lock' in change) delete guest.lock
  }

  addGuest(guest: HostGuest): void {
    this.#world.add({ ...fakeOf(guest), netin: 0 })
  }

  removeGuest(vmid: number): void {
    this.#world.guests.delete(vmid)
    this.#world.listed.delete(vmid)
  }

  power(vmid: number, step: PowerStep): string {
    return powerStep(this.#world, this.#guestAt(vmid), step)
  }

  bootGuest(vmid: number): void {
    Object.assign(this.#guestAt(vmid), { status: 'running', startedAt: this.#world.now() })
  }

  storages(): HostStorage[] {
    return this.#world.storages.map(({ name, type, shared, content, used, total, nodes }) => ({
      name,
      type,
      isShared: shared,
      content: content.split(','),
      usedBytes: used,
      totalBytes: total,
      nodes,
    }))
  }

  isActive(name: string, node: string): boolean {
    return (
      this.#world.isOnline(node) &&
      this.#world.storages.some((storage) => storage.name === name && (storage.nodes?.includes(node) ?? true))
    )
  }

  useStorage(name: string, _node: string, bytes: number): void {
    const storage = this.#world.storages.find((one) => one.name === name)
    if (storage !== undefined) storage.used = Math.max(0, storage.used + bytes)
  }

  backups(): HostBackup[] {
    return this.#world.backups.map(({ size, ...same }) => ({ ...same, sizeBytes: size }))
  }

  addBackup({ sizeBytes, node = '', ...same }: HostBackup): void {
    this.#world.backups.push({ ...same, node, size: sizeBytes })
  }

  removeBackup(volid: string): void {
    const index = this.#world.backups.findIndex((backup) => backup.volid === volid)
    if (index >= 0) this.#world.backups.splice(index, 1)
  }

  tasks(): HostTask[] {
    return this.#world.tasks.map(({ starttime, endtime, exitstatus, ...same }) => ({
      ...same,
      startedAt: starttime * 1000,
      endedAt: endtime && endtime * 1000,
      exitStatus: exitstatus,
    }))
  }

  beginTask(node: string, type: string, id: string): string {
    return beginTask(this.#world, { node, type, id }).upid
  }

  endTask(upid: string, exitStatus: string): void {
    const task = this.#world.tasks.find((one) => one.upid === upid)
    if (task !== undefined) endTask(this.#world, task, exitStatus)
  }

  journal(node: string): readonly { at: number; line: string }[] {
    return fakeJournal(node, this.#world.now())
  }

  setReached(name: string, isReached: boolean): void {
    const node = this.#world.nodes.get(name)
    if (node !== undefined) node.lostAt = isReached ? undefined : (node.lostAt ?? this.#world.now())
    this.#world.renewList()
  }

  nodePower(name: string, command: 'reboot' | 'shutdown'): void {
    const world = this.#world
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
  }

  #guestAt(vmid: number): FakeGuest {
    const guest = this.#world.guests.get(vmid)
    if (guest === undefined) throw new Error(`no guest ${vmid}`)
    return guest
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
    lock,
    ...(isTemplate && { template: true }),
    ...(tags.length > 0 && { tags: tags.join(';') }),
  }
}
