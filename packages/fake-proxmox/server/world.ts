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
  /** Its used memory in the list, bytes; absent: somewhat less than half. */
  mem?: number
  /** Its next clean shutdown is not obeyed. */
  isDeaf?: boolean
  /** Why its next start after a reboot fails. */
  failsToStart?: string
  /** A task works on it. */
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
/** `away`: how its address behaves while it is lost: its system still answers, it answers nothing, or the network knows no way to it (if absent). */
export type FakeNode = {
  name: string
  lostAt: number | undefined
  isStalled: boolean
  away?: 'refuses' | 'silent' | 'unreachable'
}
/** A guest's row in the list: renewed every ten seconds, lost five minutes after its node. */
export type Listed = { status: string; uptime: number; cpu: number; mem: number; netin: number; name: string }

export type FakeOptions = {
  /** Its time; absent: real time from `anchor` on, `speed` times as fast. */
  clock?: Clock
  anchor: number
  speed: number
  /** How long a call for an unreachable node takes. */
  proxyDelayMs: number
  /** After which a wrong token is refused. */
  denyDelayMs: number
  token: string
  /** 0: the small cluster. */
  nodes: number
  guests: number
  /** How many ways in, each on a node of its own. */
  entries: number
  /** Before 2025: an error has no message in its body. */
  isOld: boolean
}

export type World = ReturnType<typeof createWorld>
export const gib = 1024 ** 3
const expiryMs = 300_000
const listEveryMs = 10_000

export function createWorld(options: FakeOptions, clock: Clock) {
  const { now } = clock
  const isLarge = options.nodes > 0
  const names = isLarge
    ? Array.from({ length: options.nodes }, (_, i) => `node${String(i + 1).padStart(2, '0')}`)
    : ['pve1', 'pve2', 'pve3', 'pve4']
  const nodes = new Map(names.map((name): [string, FakeNode] => [name, { name, lostAt: undefined, isStalled: false }]))
  const first = names[0] ?? ''
  const storages: FakeStorage[] = [
    { name: 'local', type: 'dir', shared: false, content: 'iso,backup,vztmpl', used: 20 * gib, total: 90 * gib },
    { name: 'local-zfs', type: 'zfspool', shared: false, content: 'images,rootdir', used: 300 * gib, total: 900 * gib },
    { name: 'thin', type: 'lvmthin', shared: false, content: 'images,rootdir', used: 100 * gib, total: 400 * gib },
    { name: 'nas', type: 'nfs', shared: true, content: 'backup,images', used: 4_000 * gib, total: 8_000 * gib },
    { name: 'pbs', type: 'pbs', shared: true, content: 'backup', used: 500 * gib, total: 1_000 * gib },
  ]
  const bootedAt = now() - 30 * 86_400_000
  const guests = new Map<number, FakeGuest>()
  const add = (guest: Pick<FakeGuest, 'vmid' | 'type' | 'name' | 'node'> & Partial<FakeGuest>) => {
    const hex = guest.vmid.toString(16).padStart(6, '0').toUpperCase()
    const mac = `BC:24:11:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4, 6)}`
    guests.set(guest.vmid, { status: 'running', startedAt: bootedAt + guest.vmid * 1_000, mac, netin: 1_000, ...guest })
  }
  const backups: FakeBackup[] = []
  const backUp = (vmid: number, type: 'vm' | 'ct', node: string, storage: string, agoMs: number) => {
    const ctime = Math.floor((now() - agoMs) / 1000)
    const volid =
      storage === 'pbs'
        ? `pbs:backup/${type}/${vmid}/${new Date(ctime * 1000).toISOString().slice(0, 19)}Z`
        : `${storage}:backup/vzdump-${type === 'vm' ? 'qemu' : 'lxc'}-${vmid}-2025_01_01-00_00_00.${type === 'vm' ? 'vma' : 'tar'}.zst`
    const format = storage === 'pbs' ? `pbs-${type}` : type === 'vm' ? 'vma.zst' : 'tar.zst'
    // Backups older than 25 hours have been verified.
    const verified = storage === 'pbs' && agoMs > 90_000_000 ? { verification: 'ok' as const } : {}
    const notes = guests.get(vmid)?.name
    backups.push({ storage, node, volid, vmid, ctime, format, notes, size: 3 * gib, ...verified })
  }
  if (isLarge) {
    for (let i = 0; i < options.guests; i += 1) {
      const status = i % 5 === 0 ? 'stopped' : 'running'
      const type = i % 2 === 0 ? 'qemu' : 'lxc'
      add({
        vmid: 1_000 + i,
        type,
        name: `worker-${1_000 + i}`,
        node: names[i % names.length] ?? first,
        status,
        tags: 'prod;web',
      })
    }
  } else {
    add({ vmid: 100, type: 'qemu', name: 'web', node: 'pve1', tags: 'prod;web' })
    add({ vmid: 101, type: 'qemu', name: 'db', node: 'pve2' })
    add({ vmid: 102, type: 'qemu', name: 'spare', node: 'pve1', status: 'stopped' })
    add({ vmid: 103, type: 'qemu', name: 'mail', node: 'pve3', hastate: 'started' })
    add({ vmid: 104, type: 'qemu', name: 'sleeper', node: 'pve2', status: 'paused' })
    add({ vmid: 200, type: 'lxc', name: 'dns', node: 'pve1' })
    add({ vmid: 201, type: 'lxc', name: 'proxy', node: 'pve2' })
    add({ vmid: 202, type: 'lxc', name: 'old', node: 'pve3', status: 'stopped' })
    add({ vmid: 300, type: 'qemu', name: 'far', node: 'pve4' })
    add({ vmid: 9_000, type: 'qemu', name: 'mould', node: 'pve1', status: 'stopped', template: true })
    for (const days of [2, 1]) backUp(100, 'vm', 'pve1', 'pbs', days * 86_400_000)
    backUp(200, 'ct', 'pve1', 'nas', 20 * 3_600_000)
    backUp(101, 'vm', 'pve2', 'local', 5 * 86_400_000)
    backUp(300, 'vm', 'pve4', 'local', 86_400_000)
  }

  const tasks: FakeTask[] = []
  const listed = new Map<number, Listed>()
  const upFor = (guest: FakeGuest) =>
    guest.status === 'stopped' ? 0 : Math.max(0, Math.floor((now() - guest.startedAt) / 1000))
  /** Renews the list, as every node's statistics daemon does for the others. */
  function renewList() {
    for (const guest of guests.values()) {
      const node = nodes.get(guest.node)
      if (node?.lostAt !== undefined || node?.isStalled) continue
      const isUp = guest.status === 'running'
      guest.netin += isUp ? 1_000_000 : 0
      listed.set(guest.vmid, {
        // A paused VM is running to the list.
        status: guest.status === 'stopped' ? 'stopped' : 'running',
        uptime: upFor(guest),
        cpu: isUp ? 0.01 + Math.random() * 0.2 : 0,
        mem: guest.status === 'stopped' ? 0 : (guest.mem ?? Math.floor((0.4 + Math.random() * 0.1) * gib)),
        netin: guest.netin,
        name: guest.name,
      })
    }
  }
  renewList()
  const timers = new Set<() => void>()
  function later(ms: number, run: () => void) {
    const cancel = clock.after(ms, () => {
      timers.delete(cancel)
      run()
    })
    timers.add(cancel)
  }
  function keepRenewing() {
    later(listEveryMs, () => {
      renewList()
      keepRenewing()
    })
  }
  keepRenewing()

  const isOnline = (name: string) => nodes.has(name) && nodes.get(name)?.lostAt === undefined
  return {
    options,
    now,
    nodes,
    guests,
    add,
    storages,
    backups,
    tasks,
    listed,
    renewList,
    upFor,
    bootedAt,
    isOnline,
    /** The guest's row in the list; undefined five minutes after the node was lost, and while its statistics daemon does not run. */
    listedOf(guest: FakeGuest): Listed | undefined {
      const { lostAt, isStalled = false } = nodes.get(guest.node) ?? {}
      if (isStalled) return undefined
      return lostAt !== undefined && now() - lostAt >= expiryMs ? undefined : listed.get(guest.vmid)
    },
    isQuorate: () => [...nodes.keys()].filter(isOnline).length * 2 > nodes.size,
    later,
    /** Nothing happens in it from now on. */
    stop() {
      for (const cancel of timers) cancel()
      timers.clear()
    },
  }
}
