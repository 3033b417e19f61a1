import type { ClusterFacts } from './nodes/facts.ts'

export type PveType = 'qemu' | 'lxc'

/** A guest as its host keeps it; what else its configuration says is the model's. */
export type HostGuest = {
  vmid: number
  type: PveType
  node: string
  name: string
  status: 'running' | 'stopped' | 'paused'
  /** In its configuration, for all to see. */
  lock: string | undefined
  tags: readonly string[]
  isTemplate: boolean
  /** A task works on it: a lock file, which Proxmox shows nowhere. */
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
  /** `zfspool`, `lvmthin`, `dir`, `nfs`, `pbs`, … */
  type: string
  /** Absent: every node has it. */
  nodes?: readonly string[]
  isShared: boolean
  content: readonly string[]
  usedBytes: number
  totalBytes: number
}

export type HostBackup = {
  volid: string
  vmid: number
  storage: string
  /** Undefined: not said. */
  node: string | undefined
  /** Unix seconds. */
  ctime: number
  sizeBytes: number
  format: string
  /** On a backup server. */
  verification?: 'ok' | 'failed' | 'none' | undefined
}

export type HostTask = {
  upid: string
  node: string
  type: string
  id: string
  user: string
  /** Unix ms. */
  startedAt: number
  endedAt?: number
  /** Absent while it runs. */
  exitStatus?: string
}

export type HostNode = { name: string; isOnline: boolean; ramTotalBytes: number; ramBytes: number }

export type PowerStep = 'start' | 'stop' | 'shutdown' | 'reboot' | 'reset'

/** The cluster that the model works on: the demo's, or the fake Proxmox's. What is given is as it is now, and does not change. */
export interface PveHost {
  /** The cluster's hour, Unix ms. */
  now(): number
  /** How much of the cluster's time has passed since then, in ms. */
  since(at: number): number
  /** Runs after `ms` of the cluster's time. */
  later(ms: number, run: () => void): void
  nodes(): readonly HostNode[]
  isQuorate(): boolean

  guests(): readonly HostGuest[]
  guest(vmid: number): HostGuest | undefined
  changeGuest(vmid: number, change: Partial<Omit<HostGuest, 'vmid' | 'type'>>): void
  addGuest(guest: HostGuest): void
  removeGuest(vmid: number): void
  /** Begins a step of its power, as its page does. @returns the UPID @throws Refusal */
  power(vmid: number, step: PowerStep): string
  /** It runs anew, whatever it did before. */
  bootGuest(vmid: number): void

  storages(): readonly HostStorage[]
  /** Whether the storage can be read at that node now. */
  isActive(storage: string, node: string): boolean
  /** More used, or less. */
  useStorage(storage: string, node: string, bytes: number): void

  backups(): readonly HostBackup[]
  addBackup(backup: HostBackup): void
  removeBackup(volid: string): void

  tasks(): readonly HostTask[]
  /** @returns the UPID. */
  beginTask(node: string, type: string, id: string): string
  endTask(upid: string, exitStatus: string): void

  /** What there is besides guests: disks, pools, jobs, rules. */
  facts: ClusterFacts
  /** A node's journal, oldest first. `at`: Unix ms. */
  journal(node: string): readonly { at: number; line: string }[]
  /** The node ends its guests and goes off; after a reboot it comes back. */
  nodePower(node: string, command: 'reboot' | 'shutdown'): void
  /** The rest of the cluster reaches the node, or does not; what runs on it goes on. */
  setReached(node: string, isReached: boolean): void
}
