import { type NetworkFiles, plainNetwork } from '../network/files.ts'

/** A row as Proxmox answers it. */
export type Row = Readonly<Record<string, unknown>>

export type ZfsPool = { row: Row & { name: string }; detail: Row }
/** The facts of a node. A changed fact shows in the next answer. */
export type NodeFacts = {
  disks: (Row & { devpath: string })[]
  /** The answers of `disks/smart`, by device. */
  smart: Map<string, Row>
  pools: ZfsPool[]
  /** ZFS's tools are not installed. */
  isWithoutZfs?: boolean
  thinPools: Row[]
  updates: Row[]
  versions: Row[]
  firewall: FirewallFacts
  /** How far the node's clock is ahead, s. */
  clockOffS: number
  /** Memory pressure ("full") of each minute of the last hour, percent. Absent: almost none. */
  memoryPressure?: readonly number[]
  /** When the certificate ends, Unix seconds. Absent: in the far future. */
  certificateEndsAt?: number
  /** As `apt/repositories` answers them. */
  repositoryFaults: Row[]
  network: NetworkFiles
  /** Its bridges that are down. */
  bridgesDown: Set<string>
}
export type FirewallFacts = { options: Row; rules: Row[] }

/** `enabled`, `all`: 0 or 1. */
export type BackupJob = Row & {
  id: string
  enabled?: 0 | 1
  all?: 0 | 1
  vmid?: string
  exclude?: string
  node?: string
}

/** A replication job. Times are Unix seconds; 0 means never. `fails`: the error with which its runs end. */
export type ReplicationFacts = {
  id: string
  guest: number
  target: string
  schedule: string
  last_sync: number
  last_try: number
  fail_count: number
  error?: string
  fails?: string
  disable?: 1
}

/** The facts of a cluster besides its guests. */
export type ClusterFacts = {
  node(name: string): NodeFacts
  jobs: BackupJob[]
  replication: ReplicationFacts[]
  firewall: FirewallFacts
  /** The QDevice as its daemon answers it. Empty: the cluster has no QDevice. */
  qdevice: Row
  /** The server's address of each network storage, by storage. */
  servers: Map<string, string>
  /** The growth of each storage in the last month, bytes a day. Absent: it did not grow. */
  growth: Map<string, number>
  /** The firewalls of guests, by vmid. Absent: the firewall is off and has no rules. */
  guestFirewalls: Map<number, FirewallFacts>
}

const noFirewall = (): FirewallFacts => ({ options: {}, rules: [] })

/** Makes a node's facts when they are first read. @param known the facts in which a node differs from a plain one */
export function createFacts(known: (node: string) => Partial<NodeFacts> = () => ({})): ClusterFacts {
  const nodes = new Map<string, NodeFacts>()
  return {
    node(name) {
      const found = nodes.get(name)
      if (found !== undefined) return found
      const plain = {
        disks: [],
        smart: new Map(),
        pools: [],
        thinPools: [],
        updates: [],
        versions: [],
        clockOffS: 0,
        repositoryFaults: [],
        network: plainNetwork(`10.0.9.${11 + nodes.size}`),
        bridgesDown: new Set<string>(),
      }
      const made: NodeFacts = { ...plain, firewall: noFirewall(), ...known(name) }
      nodes.set(name, made)
      return made
    },
    jobs: [],
    replication: [],
    firewall: noFirewall(),
    qdevice: {},
    servers: new Map(),
    growth: new Map(),
    guestFirewalls: new Map(),
  }
}

/** A disk as `disks/list` answers it. `wearout` is the remaining life, percent. */
export const diskRow = (
  devpath: string,
  of: { model: string; size: number; type: string; used?: string; wearout?: number; health?: string },
): Row & { devpath: string } => ({
  devpath,
  gpt: 1,
  mounted: 0,
  osdid: -1,
  'osdid-list': null,
  by_id_link: `/dev/disk/by-id/${of.model}`,
  health: 'PASSED',
  vendor: 'unknown',
  wwn: 'unknown',
  rpm: of.type === 'hdd' ? 5_400 : 0,
  serial: `S${devpath.replace(/\W/g, '').toUpperCase()}`,
  wearout: 'N/A',
  ...of,
})

/** A healthy pool on one device. @param scrubbedAt Unix ms; the node's time zone is UTC */
export function zfsPool(
  name: string,
  of: { size: number; alloc: number; frag: number; device: string; scrubbedAt: number },
): ZfsPool {
  const { size, alloc, frag, device, scrubbedAt } = of
  const inOrder = { state: 'ONLINE', read: 0, write: 0, cksum: 0, msg: '' }
  const [day, month, date, year, time] = new Date(scrubbedAt)
    .toUTCString()
    .replace(/^(\w+), (\d+) (\w+) (\d+) ([\d:]+).*/, '$1 $3 $2 $4 $5')
    .split(' ')
  const scan = `scrub repaired 0B in 00:41:07 with 0 errors on ${day} ${month} ${Number(date)} ${time} ${year}`
  return {
    row: { name, size, alloc, free: size - alloc, frag, dedup: 1, health: 'ONLINE' },
    detail: {
      name,
      state: 'ONLINE',
      scan,
      errors: 'No known data errors',
      children: [{ name, ...inOrder, leaf: 0, children: [{ name: device, ...inOrder, leaf: 1 }] }],
    },
  }
}
