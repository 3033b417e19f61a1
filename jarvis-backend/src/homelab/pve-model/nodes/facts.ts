import { type NetworkFiles, plainNetwork } from '../network/files.ts'

/** A row as Proxmox answers it. */
export type Row = Readonly<Record<string, unknown>>

export type ZfsPool = { row: Row & { name: string }; detail: Row }
/** A change of these is seen at the next request. */
export type NodeFacts = {
  disks: (Row & { devpath: string })[]
  /** By device, what `disks/smart` answers. */
  smart: Map<string, Row>
  pools: ZfsPool[]
  thinPools: Row[]
  updates: Row[]
  versions: Row[]
  firewall: FirewallFacts
  /** How far its clock is ahead, s. */
  clockOffS: number
  /** Percent of the time in which all waits for memory, as each minute of the last hour has it; absent: hardly any. */
  memoryPressure?: readonly number[]
  /** Unix seconds; absent: far away. */
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

/** Times are Unix seconds; 0: never. `fails`: with which words its runs end until that is changed. */
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

/** What a cluster has besides its guests. */
export type ClusterFacts = {
  node(name: string): NodeFacts
  jobs: BackupJob[]
  replication: ReplicationFacts[]
  firewall: FirewallFacts
  /** As its daemon answers it; empty: there is none. */
  qdevice: Row
  /** By storage: the address of the server it lies on. */
  servers: Map<string, string>
  /** Bytes a day by which a storage has grown in the last month; absent: none. */
  growth: Map<string, number>
  /** By vmid; absent: switched off, without rules. */
  guestFirewalls: Map<number, FirewallFacts>
}

const noFirewall = (): FirewallFacts => ({ options: {}, rules: [] })

/** Facts of which each node's are made at the first look. @param known what is not plain of a node */
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

/** A disk as `disks/list` answers it. `wearout` is the percent of its life that is left. */
export const diskRow = (
  devpath: string,
  of: { model: string; size: number; type: string; used?: string; wearout?: number; health?: string },
): Row & { devpath: string } => ({
  devpath,
  ...{ gpt: 1, mounted: 0, osdid: -1, 'osdid-list': null, by_id_link: `/dev/disk/by-id/${of.model}` },
  ...{ health: 'PASSED', vendor: 'unknown', wwn: 'unknown', rpm: of.type === 'hdd' ? 5_400 : 0 },
  ...{ serial: `S${devpath.replace(/\W/g, '').toUpperCase()}`, wearout: 'N/A', ...of },
})

/** A pool on one device that has nothing to report. @param scrubbedAt Unix ms, in the node's zone UTC */
export function zfsPool(
  name: string,
  of: { size: number; alloc: number; frag: number; device: string; scrubbedAt: number },
): ZfsPool {
  const { size, alloc, frag, device, scrubbedAt } = of
  const inOrder = { state: 'ONLINE', read: 0, write: 0, cksum: 0, msg: '' }
  const [day, month, date, year, time] = new Date(scrubbedAt)
    .toUTCString()
    .replace(/(\w+), (\d+) (\w+) (\d+) ([\d:]+).*/, '$1 $3 $2 $4 $5')
    .split(' ')
  const scan = `scrub repaired 0B in 00:41:07 with 0 errors on ${day} ${month} ${Number(date)} ${time} ${year}`
  return {
    row: { name, size, alloc, free: size - alloc, frag, dedup: 1, health: 'ONLINE' },
    detail: {
      ...{ name, state: 'ONLINE', scan, errors: 'No known data errors' },
      children: [{ name, ...inOrder, leaf: 0, children: [{ name: device, ...inOrder, leaf: 1 }] }],
    },
  }
}
