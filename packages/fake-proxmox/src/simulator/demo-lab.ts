import type { Guest } from 'protocol'

export const gib = 1024 ** 3
export const hourMs = 3_600_000
const day = 86_400
const tib = 1024 ** 4

/** A node at the start. Its values include its guests. */
export type NodeSpec = {
  name: string
  role: string
  ip: string
  cpuModel: string
  cpuCount: number
  cpuRatio: number
  load1: number
  ramBytes: number
  ramTotalBytes: number
  rootBytes: number
  rootTotalBytes: number
  temperatureC: number
  sensor: string
  upS: number
}

export type GuestSpec = {
  vmid: number
  name: string
  type: Guest['type']
  node: string
  cpuCount: number
  cpuRatio: number
  ramRatio: number
  ramTotalBytes: number
  diskRatio: number
  diskTotalBytes: number
  netBps: number
  /** Seconds since the guest's start. Undefined: stopped, and not started with its node. */
  upS?: number
  tags: string[]
}

export type StorageSpec = {
  name: string
  node?: string
  type: string
  content: string[]
  usedBytes: number
  totalBytes: number
}

export const demoNodes: readonly NodeSpec[] = [
  {
    name: 'Home',
    role: 'main',
    ip: '10.0.4.11',
    cpuModel: 'Intel(R) Core(TM) i5-8500T CPU @ 2.10GHz',
    cpuCount: 6,
    cpuRatio: 0.18,
    load1: 1.9,
    ramBytes: 38.4 * gib,
    ramTotalBytes: 62.6 * gib,
    rootBytes: 29 * gib,
    rootTotalBytes: 94 * gib,
    temperatureC: 52,
    sensor: 'Package id 0',
    upS: 41.13 * day,
  },
  {
    name: 'pve',
    role: 'compute, NAS',
    ip: '10.0.4.12',
    cpuModel: 'AMD Ryzen 7 5700G with Radeon Graphics',
    cpuCount: 8,
    cpuRatio: 0.71,
    load1: 24.3,
    ramBytes: 101.6 * gib,
    ramTotalBytes: 125.7 * gib,
    rootBytes: 41 * gib,
    rootTotalBytes: 94 * gib,
    temperatureC: 81,
    sensor: 'Tctl',
    upS: 63.29 * day,
  },
  {
    name: 'agent1',
    role: 'compute',
    ip: '10.0.4.13',
    cpuModel: 'Intel(R) N305',
    cpuCount: 8,
    cpuRatio: 0.12,
    load1: 0.8,
    ramBytes: 16.8 * gib,
    ramTotalBytes: 31.1 * gib,
    rootBytes: 22 * gib,
    rootTotalBytes: 94 * gib,
    temperatureC: 47,
    sensor: 'Package id 0',
    upS: 41.13 * day,
  },
  {
    name: 'agent',
    role: 'utility',
    ip: '10.0.4.14',
    cpuModel: 'Intel(R) N100',
    cpuCount: 4,
    cpuRatio: 0.03,
    load1: 0.2,
    ramBytes: 3.4 * gib,
    ramTotalBytes: 15.5 * gib,
    rootBytes: 12 * gib,
    rootTotalBytes: 58 * gib,
    temperatureC: 39,
    sensor: 'Package id 0',
    upS: 60,
  },
]

type GuestRow = readonly [
  who: readonly [vmid: number, type: Guest['type'], name: string, node: string],
  cpu: readonly [count: number, ratio: number],
  ram: readonly [ratio: number, gib: number],
  disk: readonly [ratio: number, gib: number],
  netBps: number,
  upS: number | undefined,
  tags?: string[],
]

/** Columns: id, type, name, node; cores and load; memory; disk; traffic in bytes per second; uptime in seconds. */
const guestRows: readonly GuestRow[] = [
  [[100, 'vm', 'opnsense', 'Home'], [2, 0.09], [0.38, 4], [0.22, 32], 41e6, 41 * day, ['network']],
  [[101, 'vm', 'homeassistant', 'Home'], [2, 0.06], [0.47, 4], [0.41, 64], 310e3, 41 * day],
  [[110, 'ct', 'pihole', 'Home'], [1, 0.01], [0.19, 0.5], [0.18, 8], 88e3, 41 * day, ['dns']],
  [[111, 'ct', 'unbound', 'Home'], [1, 0.01], [0.22, 0.5], [0.12, 8], 61e3, 41 * day, ['dns']],
  [[112, 'ct', 'caddy', 'Home'], [1, 0.02], [0.14, 1], [0.09, 16], 2.2e6, 12 * day, ['web']],
  [[113, 'ct', 'vaultwarden', 'Home'], [1, 0.01], [0.31, 0.5], [0.24, 8], 12e3, 12 * day, ['ha']],
  [[103, 'vm', 'truenas', 'pve'], [4, 0.11], [0.92, 32], [0.35, 64], 96e6, 63 * day, ['nas']],
  [[104, 'ct', 'jellyfin', 'pve'], [4, 0.04], [0.28, 8], [0.44, 64], 18e6, 20 * day, ['media']],
  [[105, 'ct', 'immich', 'pve'], [4, 0.08], [0.71, 16], [0.67, 128], 1.1e6, 20 * day, ['media']],
  [[120, 'ct', 'nextcloud', 'pve'], [2, 0.03], [0.52, 4], [0.58, 64], 420e3, 33 * day, ['web']],
  [[121, 'ct', 'postgres', 'pve'], [2, 0.05], [0.64, 8], [0.39, 96], 2.8e6, 33 * day, ['database']],
  [[122, 'ct', 'sabnzbd', 'pve'], [2, 0.14], [0.33, 4], [0.72, 256], 38e6, 5 * day, ['media']],
  [[123, 'vm', 'frigate', 'pve'], [4, 0.14], [0.68, 8], [0.81, 512], 54e6, 8.17 * day, ['cameras']],
  [[124, 'ct', 'gitea', 'pve'], [1, 0.01], [0.27, 2], [0.31, 32], 9e3, 33 * day],
  [[130, 'ct', 'jarvis', 'agent1'], [2, 0.03], [0.41, 2], [0.16, 32], 140e3, 9 * day],
  [[131, 'vm', 'ollama', 'agent1'], [4, 0.02], [0.77, 16], [0.63, 128], 4e3, 41 * day],
  [[132, 'ct', 'prometheus', 'agent1'], [2, 0.04], [0.58, 2], [0.47, 64], 260e3, 41 * day, ['monitoring']],
  [[133, 'ct', 'grafana', 'agent1'], [1, 0.01], [0.29, 1], [0.14, 16], 31e3, 41 * day, ['monitoring']],
  [[140, 'ct', 'uptime-kuma', 'agent'], [1, 0.02], [0.24, 1], [0.11, 8], 22e3, 50, ['monitoring']],
  [[141, 'vm', 'pbs', 'agent'], [2, 0.02], [0.44, 4], [0.3, 32], 12e3, undefined, ['backup']],
  [[142, 'vm', 'win11-lab', 'agent'], [4, 0.04], [0.52, 8], [0.4, 128], 8e3, undefined, ['lab']],
]

export const demoGuests: readonly GuestSpec[] = guestRows.map(
  ([
    [vmid, type, name, node],
    [cpuCount, cpuRatio],
    [ramRatio, ramGib],
    [diskRatio, diskGib],
    netBps,
    upS,
    tags = [],
  ]) => ({
    vmid,
    type,
    name,
    node,
    cpuCount,
    cpuRatio,
    ramRatio,
    ramTotalBytes: ramGib * gib,
    diskRatio,
    diskTotalBytes: diskGib * gib,
    netBps,
    upS,
    tags,
  }),
)

export const demoStorages: readonly StorageSpec[] = [
  {
    name: 'local-zfs',
    node: 'Home',
    type: 'zfspool',
    content: ['images', 'rootdir'],
    usedBytes: 0.358 * tib,
    totalBytes: 0.93 * tib,
  },
  {
    name: 'tank-nfs',
    type: 'nfs',
    content: ['images', 'rootdir', 'iso', 'backup'],
    usedBytes: 28.4 * tib,
    totalBytes: 36.4 * tib,
  },
  {
    name: 'nvme-fast',
    node: 'pve',
    type: 'zfspool',
    content: ['images', 'rootdir'],
    usedBytes: 1.69 * tib,
    totalBytes: 1.86 * tib,
  },
  {
    name: 'local-lvm',
    node: 'agent1',
    type: 'lvmthin',
    content: ['images', 'rootdir'],
    usedBytes: 0.13 * tib,
    totalBytes: 0.84 * tib,
  },
  // The target of the replication of vaultwarden's disk.
  {
    name: 'local-zfs',
    node: 'agent1',
    type: 'zfspool',
    content: ['images', 'rootdir'],
    usedBytes: 0.012 * tib,
    totalBytes: 0.45 * tib,
  },
  { name: 'pbs-main', type: 'pbs', content: ['backup'], usedBytes: 5.1 * tib, totalBytes: 8 * tib },
]

/** The backup server that serves `pbs-main`; while the server is down, the storage is unreachable. */
export const backupServer = { vmid: 141, storage: 'pbs-main' }
/** Guests with backups on `pbs-main`. The others have them on `tank-nfs`, except those in `neverBackedUp`. */
export const onBackupServer: ReadonlySet<number> = new Set([100, 103, 104, 105, 120, 121, 122, 123, 124])
export const neverBackedUp: ReadonlySet<number> = new Set([141, 142])
/** Guests under HA: their start and stop are requests to a manager, which carries them out a little later. */
export const underHa: ReadonlySet<number> = new Set([113])
/** The guest that lost its GPU `forMs` before the start. It decodes on the CPU until it is restarted. */
export const hotGuest = { vmid: 123, cpuRatio: 0.97, extraLoad: 18.6, forMs: 6.7 * hourMs }
/** The passed-through graphics card that the hot guest lost. */
export const gpu = {
  slot: '05:00.0',
  words: 'VGA compatible controller: Intel Corporation DG2 [Arc A380] (rev 05)',
}
/** A forgotten snapshot, which keeps all blocks that its guest has overwritten since. */
export const oldSnapshot = { vmid: 123, name: 'before-upgrade', madeMs: 46 * 24 * hourMs }
/** The node that lost power this long before the start and has booted since; its backup server has been down since then. */
export const darkNode = { name: 'agent', forMs: 6.9 * hourMs }
