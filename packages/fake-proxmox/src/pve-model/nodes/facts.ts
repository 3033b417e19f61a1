import { type NetworkFiles, plainNetwork } from '../network/files.ts'

/** A row in the form in which Proxmox returns it. */
export type Row = Readonly<Record<string, unknown>>

export type ZfsPool = { row: Row & { name: string }; detail: Row }
/** Facts of a node. A changed fact appears in the next answer. */
export type NodeFacts = {
  disks: (Row & { devpath: string })[]
  /** The answers of `disks/smart`, by device. */
  smart: Map<string, Row>
  pools: ZfsPool[]
  /** True if the ZFS tools are not installed. */
  isWithoutZfs?: boolean
  thinPools: Row[]
  updates: Row[]
  versions: Row[]
  firewall: FirewallFacts
  /** Seconds by which the node's clock is ahead. */
  clockOffS: number
  /** Memory pressure ("full") of each minute of the last hour, percent. Undefined: almost none. */
  memoryPressure?: readonly number[]
  /** End of the certificate's validity, Unix seconds. Undefined: in the far future. */
  certificateEndsAt?: number
  /** Errors in the form in which `apt/repositories` returns them. */
  repositoryFaults: Row[]
  network: NetworkFiles
  /** Bridges of the node that are down. */
  bridgesDown: Set<string>
}
export type FirewallFacts = { options: Row; rules: Row[] }

/** A backup job. `enabled`, `all`: 0 or 1. */
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

/** Facts of a cluster other than its guests. */
export type ClusterFacts = {
  node(name: string): NodeFacts
  jobs: BackupJob[]
  replication: ReplicationFacts[]
  firewall: FirewallFacts
  /** The status of the QDevice, in the form in which its daemon returns it. Empty: the cluster has no QDevice. */
  qdevice: Row
  /** The server's address of each network storage, by storage. */
  servers: Map<string, string>
  /** Growth of each storage in the last month, bytes a day, by storage name. Missing: no growth. */
  growth: Map<string, number>
  /** Firewalls of guests, by vmid. Missing: the firewall is off and has no rules. */
  guestFirewalls: Map<number, FirewallFacts>
}

const noFirewall = (): FirewallFacts => ({ options: {}, rules: [] })

/** Creates a node's facts when they are first read. @param known facts that differ from those of a plain node */
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

/** A disk in the form in which `disks/list` returns it. `wearout`: remaining life, percent. */
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
