import type { ClusterFacts } from './nodes/facts.ts'

export type PveType = 'qemu' | 'lxc'

/** The part of a guest that the host stores. The model stores the rest of the configuration. */
export type HostGuest = {
  vmid: number
  type: PveType
  node: string
  name: string
  status: 'running' | 'stopped' | 'paused'
  /** The lock in the guest's configuration, which everybody can see. */
  lock: string | undefined
  tags: readonly string[]
  isTemplate: boolean
  /** True while a task holds the guest's lock file. Proxmox shows that file nowhere. */
  isHeld: boolean
  isHa: boolean
  /** Unix ms. */
  startedAt: number
  cpuCount: number
  ramBytes: number
  diskBytes: number
}

export type HostStorage = {
  name: string
  /** The storage's type: `zfspool`, `lvmthin`, `dir`, `nfs`, `pbs`, … */
  type: string
  /** The nodes that have the storage; undefined: every node. */
  nodes?: readonly string[] | undefined
  isShared: boolean
  content: readonly string[]
  usedBytes: number
  totalBytes: number
}

export type HostBackup = {
  volid: string
  vmid: number
  storage: string
  /** Undefined: the host does not report it. */
  node: string | undefined
  /** Unix seconds. */
  ctime: number
  sizeBytes: number
  format: string
  /** Only for a volume on a backup server. */
  verification?: 'ok' | 'failed' | 'none' | undefined
  /** Undefined: empty. */
  notes?: string | undefined
  /** The owner that the backup server stores. */
  owner?: string | undefined
}

export type HostTask = {
  upid: string
  node: string
  type: string
  id: string
  user: string
  /** Unix ms. */
  startedAt: number
  endedAt?: number | undefined
  /** Undefined while the task runs. */
  exitStatus?: string | undefined
}

export type HostNode = { name: string; isOnline: boolean; ramTotalBytes: number; ramBytes: number }

export type PowerStep = 'start' | 'stop' | 'shutdown' | 'reboot' | 'reset'

/** The cluster that the model works on: the demo's or the fake Proxmox's. Each method returns a copy of the present state. */
export interface PveHost {
  /** The cluster's time, Unix ms. */
  now(): number
  /** The time that has passed in the cluster since `at`, ms. */
  since(at: number): number
  /** Calls `run` after `ms` of the cluster's time. */
  later(ms: number, run: () => void): void
  nodes(): readonly HostNode[]
  isQuorate(): boolean

  guests(): readonly HostGuest[]
  guest(vmid: number): HostGuest | undefined
  changeGuest(vmid: number, change: Partial<Omit<HostGuest, 'vmid' | 'type'>>): void
  addGuest(guest: HostGuest): void
  removeGuest(vmid: number): void
  /** Begins a power action on a guest, as Proxmox's page does. @returns the UPID @throws Refusal */
  power(vmid: number, step: PowerStep): string
  /** Starts the guest, from any state. */
  bootGuest(vmid: number): void

  storages(): readonly HostStorage[]
  /** True if the node can read the storage now. */
  isActive(storage: string, node: string): boolean
  /** Changes the used space of a storage by `bytes`, which may be negative. */
  useStorage(storage: string, node: string, bytes: number): void

  backups(): readonly HostBackup[]
  addBackup(backup: HostBackup): void
  removeBackup(volid: string): void

  tasks(): readonly HostTask[]
  /** @returns the UPID. */
  beginTask(node: string, type: string, id: string): string
  endTask(upid: string, exitStatus: string): void

  /** Facts of the cluster other than its guests: disks, pools, jobs, rules. */
  facts: ClusterFacts
  /** A node's journal, oldest first. `at`: Unix ms. */
  journal(node: string): readonly { at: number; line: string }[]
  /** Stops the node's guests and switches the node off. After a reboot the node comes back. */
  nodePower(node: string, command: 'reboot' | 'shutdown'): void
  /** Sets if the rest of the cluster can reach the node. Its guests keep running. */
  setReached(node: string, isReached: boolean): void
}
