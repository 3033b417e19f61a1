import type { Clock } from 'node-kit/clock'

/** A guest of the fake cluster. Times are cluster time, Unix ms. */
export type FakeGuest = {
  vmid: number
  type: 'qemu' | 'lxc'
  name: string
  node: string
  status: 'running' | 'stopped' | 'paused'
  startedAt: number
  lock?: string
  hastate?: string
  template?: boolean
  tags?: string
  mac: string
  /** Used memory in the cluster's list, bytes; undefined: somewhat less than half. */
  mem?: number
  /** True: the guest ignores its next clean shutdown. */
  isDeaf?: boolean
  /** The error with which its next start after a reboot fails. */
  failsToStart?: string
  /** True while a task holds the guest. */
  isHeld?: boolean
  netin: number
  ramBytes?: number
  diskBytes?: number
}
export type FakeTask = {
  upid: string
  node: string
  type: string
  id: string
  user: string
  starttime: number
  endtime?: number
  exitstatus?: string
}
export type FakeStorage = {
  name: string
  type: string
  shared: boolean
  content: string
  used: number
  total: number
  nodes?: string[]
}
export type FakeBackup = {
  storage: string
  node: string
  volid: string
  vmid: number
  ctime: number
  format: string
  size: number
  verification?: 'ok' | 'failed' | 'none' | undefined
  notes?: string | undefined
  owner?: string | undefined
}
/**
 * A node of the fake cluster. `away`: how its address behaves while the node is lost. `refuses`: it refuses connections; `silent`: it does not
 * answer; undefined: there is no route to it.
 */
export type FakeNode = {
  name: string
  lostAt: number | undefined
  isStalled: boolean
  away?: 'refuses' | 'silent' | 'unreachable'
}
/** A guest's row in the cluster's list. It is renewed every ten seconds and disappears five minutes after its node was lost. */
export type Listed = { status: string; uptime: number; cpu: number; mem: number; netin: number; name: string }

export type FakeOptions = {
  /** The cluster's clock; default: real time from `anchor` on, `speed` times as fast. */
  clock?: Clock
  anchor: number
  speed: number
  /** Duration of a call to an unreachable node, ms. */
  proxyDelayMs: number
  /** Delay after which a wrong token is refused, ms. */
  denyDelayMs: number
  token: string
  /** Number of nodes; 0: the small cluster. */
  nodes: number
  guests: number
  /** Number of entry nodes, each with its own HTTPS server. */
  entries: number
  /** True: behaves like Proxmox before 2025, whose errors have no message in the body. */
  isOld: boolean
}

export const gib = 1024 ** 3
const expiryMs = 300_000
const listEveryMs = 10_000
const dayMs = 86_400_000

/** A guest to add. Missing fields get usual values. */
type NewGuest = Pick<FakeGuest, 'vmid' | 'type' | 'name' | 'node'> & Partial<FakeGuest>

const storagesAtFirst = (): FakeStorage[] => [
  { name: 'local', type: 'dir', shared: false, content: 'iso,backup,vztmpl', used: 20 * gib, total: 90 * gib },
  { name: 'local-zfs', type: 'zfspool', shared: false, content: 'images,rootdir', used: 300 * gib, total: 900 * gib },
  { name: 'thin', type: 'lvmthin', shared: false, content: 'images,rootdir', used: 100 * gib, total: 400 * gib },
  { name: 'nas', type: 'nfs', shared: true, content: 'backup,images', used: 4_000 * gib, total: 8_000 * gib },
  { name: 'pbs', type: 'pbs', shared: true, content: 'backup', used: 500 * gib, total: 1_000 * gib },
]

const smallLab: readonly NewGuest[] = [
  { vmid: 100, type: 'qemu', name: 'web', node: 'pve1', tags: 'prod;web' },
  { vmid: 101, type: 'qemu', name: 'db', node: 'pve2' },
  { vmid: 102, type: 'qemu', name: 'spare', node: 'pve1', status: 'stopped' },
  { vmid: 103, type: 'qemu', name: 'mail', node: 'pve3', hastate: 'started' },
  { vmid: 104, type: 'qemu', name: 'sleeper', node: 'pve2', status: 'paused' },
  { vmid: 200, type: 'lxc', name: 'dns', node: 'pve1' },
  { vmid: 201, type: 'lxc', name: 'proxy', node: 'pve2' },
  { vmid: 202, type: 'lxc', name: 'old', node: 'pve3', status: 'stopped' },
  { vmid: 300, type: 'qemu', name: 'far', node: 'pve4' },
  { vmid: 9_000, type: 'qemu', name: 'mould', node: 'pve1', status: 'stopped', template: true },
]

const smallBackups: readonly { vmid: number; storage: string; agoMs: number }[] = [
  { vmid: 100, storage: 'pbs', agoMs: 2 * dayMs },
  { vmid: 100, storage: 'pbs', agoMs: dayMs },
  { vmid: 200, storage: 'nas', agoMs: 20 * 3_600_000 },
  { vmid: 101, storage: 'local', agoMs: 5 * dayMs },
  { vmid: 300, storage: 'local', agoMs: dayMs },
]

const largeLab = (count: number, nodes: readonly string[]): NewGuest[] =>
  Array.from({ length: count }, (_, i) => ({
    vmid: 1_000 + i,
    type: i % 2 === 0 ? 'qemu' : 'lxc',
    name: `worker-${1_000 + i}`,
    node: nodes[i % nodes.length] ?? '',
    status: i % 5 === 0 ? 'stopped' : 'running',
    tags: 'prod;web',
  }))

/** The state of the fake cluster. */
export class World {
  readonly options: FakeOptions
  readonly nodes: ReadonlyMap<string, FakeNode>
  readonly guests = new Map<number, FakeGuest>()
  readonly storages = storagesAtFirst()
  readonly backups: FakeBackup[] = []
  readonly tasks: FakeTask[] = []
  readonly listed = new Map<number, Listed>()
  readonly bootedAt: number
  readonly #clock: Clock
  readonly #timers = new Set<() => void>()

  constructor(options: FakeOptions, clock: Clock) {
    this.options = options
    this.#clock = clock
    this.bootedAt = clock.now() - 30 * dayMs
    const isLarge = options.nodes > 0
    const names = isLarge
      ? Array.from({ length: options.nodes }, (_, i) => `node${String(i + 1).padStart(2, '0')}`)
      : ['pve1', 'pve2', 'pve3', 'pve4']
    this.nodes = new Map(names.map((name) => [name, { name, lostAt: undefined, isStalled: false }]))
    for (const guest of isLarge ? largeLab(options.guests, names) : smallLab) this.add(guest)
    if (!isLarge) for (const backup of smallBackups) this.#backUp(backup)
    this.renewList()
    this.#keepRenewing()
  }

  now(): number {
    return this.#clock.now()
  }

  add(guest: NewGuest): void {
    const hex = guest.vmid.toString(16).padStart(6, '0').toUpperCase()
    const mac = `BC:24:11:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4, 6)}`
    const startedAt = this.bootedAt + guest.vmid * 1_000
    this.guests.set(guest.vmid, { status: 'running', startedAt, mac, netin: 1_000, ...guest })
  }

  isOnline(name: string): boolean {
    return this.nodes.has(name) && this.nodes.get(name)?.lostAt === undefined
  }

  isQuorate(): boolean {
    return [...this.nodes.keys()].filter((name) => this.isOnline(name)).length * 2 > this.nodes.size
  }

  /** A guest's uptime in whole seconds; 0 while it is stopped. */
  upFor(guest: FakeGuest): number {
    return guest.status === 'stopped' ? 0 : Math.max(0, Math.floor((this.now() - guest.startedAt) / 1000))
  }

  /** Returns the guest's row in the list. Undefined from five minutes after its node was lost, and while the node's statistics daemon is stopped. */
  listedOf(guest: FakeGuest): Listed | undefined {
    const { lostAt, isStalled = false } = this.nodes.get(guest.node) ?? {}
    if (isStalled) return undefined
    return lostAt !== undefined && this.now() - lostAt >= expiryMs ? undefined : this.listed.get(guest.vmid)
  }

  /** Renews the list, like the nodes' statistics daemons do. */
  renewList(): void {
    for (const guest of this.guests.values()) {
      const node = this.nodes.get(guest.node)
      if (node?.lostAt !== undefined || node?.isStalled) continue
      const isUp = guest.status === 'running'
      guest.netin += isUp ? 1_000_000 : 0
      this.listed.set(guest.vmid, {
        // In the list, a paused VM is running.
        status: guest.status === 'stopped' ? 'stopped' : 'running',
        uptime: this.upFor(guest),
        cpu: isUp ? 0.01 + Math.random() * 0.2 : 0,
        mem: guest.status === 'stopped' ? 0 : (guest.mem ?? Math.floor((0.4 + Math.random() * 0.1) * gib)),
        netin: guest.netin,
        name: guest.name,
      })
    }
  }

  later(ms: number, run: () => void): void {
    const cancel = this.#clock.after(ms, () => {
      this.#timers.delete(cancel)
      run()
    })
    this.#timers.add(cancel)
  }

  /** Cancels all timers, so that nothing more happens in the cluster. */
  stop(): void {
    for (const cancel of this.#timers) cancel()
    this.#timers.clear()
  }

  #keepRenewing(): void {
    this.later(listEveryMs, () => {
      this.renewList()
      this.#keepRenewing()
    })
  }

  #backUp({ vmid, storage, agoMs }: { vmid: number; storage: string; agoMs: number }): void {
    const { node = '', name, type: kind } = this.guests.get(vmid) ?? {}
    const type = kind === 'lxc' ? 'ct' : 'vm'
    const ctime = Math.floor((this.now() - agoMs) / 1000)
    const volid =
      storage === 'pbs'
        ? `pbs:backup/${type}/${vmid}/${new Date(ctime * 1000).toISOString().slice(0, 19)}Z`
        : `${storage}:backup/vzdump-${type === 'vm' ? 'qemu' : 'lxc'}-${vmid}-2025_01_01-00_00_00.${type === 'vm' ? 'vma' : 'tar'}.zst`
    const format = storage === 'pbs' ? `pbs-${type}` : type === 'vm' ? 'vma.zst' : 'tar.zst'
    // Backups older than 25 hours have been verified.
    const verified = storage === 'pbs' && agoMs > 90_000_000 ? { verification: 'ok' as const } : {}
    this.backups.push({ storage, node, volid, vmid, ctime, format, notes: name, size: 3 * gib, ...verified })
  }
}
