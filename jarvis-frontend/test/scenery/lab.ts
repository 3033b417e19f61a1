import type { ClusterState, Guest, Node, Storage, Task } from 'protocol'

const gib = 1024 ** 3
const hour = 3_600_000
const day = 24 * hour

type Row = [
  vmid: number,
  name: string,
  type: 'vm' | 'ct',
  cpu: number,
  ram: number,
  gib: number,
  disk: number,
  netMbit: number,
  upDays: number,
  backupH: number,
]

const guests: Record<string, Row[]> = {
  Home: [
    [100, 'opnsense', 'vm', 9, 38, 4, 22, 41, 41, 31],
    [101, 'homeassistant', 'vm', 6, 47, 4, 41, 0.31, 41, 7],
    [110, 'pihole', 'ct', 1, 19, 0.5, 18, 0.09, 41, 7],
    [111, 'unbound', 'ct', 1, 22, 0.5, 12, 0.06, 41, 7],
    [112, 'caddy', 'ct', 2, 14, 1, 9, 2.2, 12, 7],
    [113, 'vaultwarden', 'ct', 1, 31, 0.5, 24, 0.01, 12, 7],
  ],
  pve: [
    [103, 'truenas', 'vm', 11, 92, 32, 35, 96, 63, 31],
    [104, 'jellyfin', 'ct', 4, 28, 8, 44, 18, 20, 31],
    [105, 'immich', 'vm', 8, 71, 16, 67, 1.1, 20, 31],
    [120, 'nextcloud', 'ct', 3, 52, 4, 58, 0.42, 33, 31],
    [121, 'postgres', 'ct', 5, 64, 8, 39, 2.8, 33, 31],
    [122, 'sabnzbd', 'ct', 14, 33, 4, 72, 38, 5, 31],
    [123, 'frigate', 'vm', 97, 68, 8, 81, 54, 8.17, 31],
    [124, 'gitea', 'ct', 1, 27, 2, 31, 0.01, 33, 31],
  ],
  agent1: [
    [130, 'jarvis', 'ct', 3, 41, 2, 16, 0.14, 9, 7],
    [131, 'ollama', 'vm', 2, 77, 16, 63, 0.01, 41, 7],
    [132, 'prometheus', 'ct', 4, 58, 2, 47, 0.26, 41, 7],
    [133, 'grafana', 'ct', 1, 29, 1, 14, 0.03, 41, 7],
  ],
  agent: [
    [140, 'uptime-kuma', 'ct', 2, 24, 1, 11, 0.02, 0.001, 7],
    [141, 'pbs', 'vm', 0, 0, 4, 0, 0, 0, 0],
    [142, 'win11-lab', 'vm', 0, 0, 8, 0, 0, 0, 0],
  ],
}

function guest(node: string, [vmid, name, type, cpu, ram, total, disk, net, up, backup]: Row, now: number): Guest {
  const isUp = up > 0
  return {
    vmid,
    name,
    type,
    node,
    status: isUp ? 'running' : 'stopped',
    isProtected: name === 'jarvis',
    uptimeS: Math.round(up * 86_400),
    cpuRatio: cpu / 100,
    cpuCount: 4,
    ramBytes: (ram / 100) * total * gib,
    ramTotalBytes: total * gib,
    diskBytes: disk * gib,
    diskTotalBytes: 100 * gib,
    ...(isUp && { netInBps: (net * 1e6) / 16, netOutBps: (net * 1e6) / 16 }),
    isHa: false,
    tags: [],
    ...(backup > 0 && { backupAt: now - backup * hour - 60_000 }),
  }
}

type NodeRow = [
  name: string,
  role: string,
  cpu: number,
  used: number,
  total: number,
  heat: number,
  up: number,
  load: number,
]

const nodes: NodeRow[] = [
  ['Home', 'main', 18, 38.4, 62.6, 52, 41, 1.9],
  ['pve', 'compute, NAS', 71, 101.6, 125.7, 81, 63, 24.3],
  ['agent1', 'compute', 12, 16.8, 31.1, 47, 41, 0.8],
  ['agent', 'utility', 3, 3.4, 15.5, 39, 0.0007, 0.2],
]

const node = ([name, role, cpu, used, total, heat, up, load]: NodeRow): Node => ({
  name,
  status: 'online',
  role,
  isProtected: name === 'agent1',
  cpuRatio: cpu / 100,
  cpuCount: 16,
  ramBytes: used * gib,
  ramTotalBytes: total * gib,
  uptimeS: Math.round(up * 86_400),
  load1: load,
  temperatureC: heat,
})

type StorageRow = [name: string, on: string | undefined, usedTib: number, totalTib: number]

const storages: StorageRow[] = [
  ['local-zfs', 'Home', 0.36, 0.93],
  ['tank-nfs', undefined, 28.4, 36.4],
  ['nvme-fast', 'pve', 1.69, 1.86],
  ['pbs-main', 'agent', 5.1, 8],
]

const storage = ([name, on, usedTib, totalTib]: StorageRow): Storage => ({
  name,
  node: on,
  type: 'zfspool',
  content: ['images'],
  isActive: true,
  usedBytes: usedTib * 1024 ** 4,
  totalBytes: totalTib * 1024 ** 4,
})

/** A homelab with four nodes and 21 guests. One node is hot, and nine guests have no backup from last night. */
export function lab(now: number): ClusterState {
  const tasks: Task[] = [
    ['wakeonlan', 'agent', 0.02, 'ok', 'OK'],
    ['vzdump', 'pve', 6.75, 'failed', 'could not activate storage pbs-main: not reachable'],
    ['vzdump', 'Home', 7.2, 'ok', 'OK'],
  ].map(([type, on, h, status, exit], at) => ({
    upid: `UPID:${on}:${at}`,
    node: String(on),
    type: String(type),
    user: 'root@pam',
    startedAt: now - Number(h) * hour,
    endedAt: now - Number(h) * hour + 60_000,
    status: status as Task['status'],
    exitStatus: String(exit),
  }))
  return {
    name: 'homelab',
    isDemo: true,
    at: now,
    nodes: nodes.map(node),
    guests: Object.entries(guests).flatMap(([on, rows]) => rows.map((row) => guest(on, row, now))),
    storages: storages.map(storage),
    tasks,
    isQuorate: true,
    missing: [],
  }
}

/** The same homelab in good health: nothing hot, nothing full, every backup fresh. */
export function quietLab(now: number): ClusterState {
  const ill = lab(now)
  return {
    ...ill,
    nodes: ill.nodes.map((known) => (known.name === 'pve' ? { ...known, temperatureC: 58, cpuRatio: 0.24 } : known)),
    guests: ill.guests.map((known) => ({
      ...known,
      cpuRatio: Math.min(known.cpuRatio ?? 0, 0.14),
      ...(known.backupAt !== undefined && { backupAt: now - 5 * hour }),
    })),
    storages: ill.storages.map((known) =>
      known.name === 'nvme-fast' ? { ...known, usedBytes: 1.2 * 1024 ** 4 } : known,
    ),
    tasks: ill.tasks.filter((task) => task.status === 'ok' && task.startedAt > now - day),
  }
}
