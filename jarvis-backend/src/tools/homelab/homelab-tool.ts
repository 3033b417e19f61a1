import type { Homelab } from 'homelab-ports/ports'
import type { Alert, Limits } from 'protocol'
import { clusterTime } from 'protocol/facts'
import type { Touch } from '../../gate/effect.ts'
import { reads } from '../../gate/targets.ts'
import type { Need } from '../../homelab/pve/rights.ts'
import { toolOver } from '../tool.ts'

/** The parts that the tools over a homelab act through. `limits`: the values above which something is unusual. */
export type HomelabPorts = Pick<Homelab, 'api' | 'cluster' | 'shell' | 'waker' | 'networkTimers'> & {
  limits(): Limits
  /** The present alerts, most severe first. The same array is returned until an alert changes. */
  alerts(): readonly Alert[]
}

export const homelabTool = toolOver<HomelabPorts>()

/** The present time by the cluster's clock, Unix ms. The age of a thing that the cluster dated is counted by this clock. */
export const clusterNow = ({ api, cluster }: Pick<HomelabPorts, 'api' | 'cluster'>): number =>
  clusterTime(api.now(), cluster.state())

const touches: Touch[] = [
  { kind: 'read', on: 'site' },
  { kind: 'read', on: 'node' },
]
/** Common members of tools that read the cluster or one node, and whose answers contain text that others wrote. */
export const quoting = { tier: 'green', touches, effects: reads, lists: true } as const

/** The same as `quoting`, for tools whose answers are in JARVIS's own words. */
export const reading = { ...quoting, isComposed: true, namesNoChange: true } as const

/** Rights of the Proxmox token, by purpose. */
export const rights = {
  guests: { right: 'VM.Audit', base: '/vms' },
  power: { right: 'VM.PowerMgmt', base: '/vms' },
  storages: { right: 'Datastore.Audit', base: '/storage' },
  nodes: { right: 'Sys.Audit', base: '/nodes' },
  bridges: { right: 'SDN.Audit', base: '/sdn/zones/localnetwork', unless: 'SDN.Use', shows: 'bridges' },
  useBridges: { right: 'SDN.Use', base: '/sdn/zones/localnetwork' },
  quorum: { right: 'Sys.Audit', base: '/' },
  journal: { right: 'Sys.Syslog', base: '/nodes' },
  nodePower: { right: 'Sys.PowerMgmt', base: '/nodes' },
  replicate: { right: 'VM.Replicate', base: '/vms' },
  services: { right: 'Sys.Modify', base: '/nodes' },
  backups: { right: 'VM.Backup', base: '/vms', unless: 'Datastore.Allocate' },
  backupFiles: { right: 'Datastore.AllocateSpace', base: '/storage', unless: 'Datastore.Allocate' },
  snapshots: { right: 'VM.Snapshot', base: '/vms' },
  options: { right: 'VM.Config.Options', base: '/vms' },
  processors: { right: 'VM.Config.CPU', base: '/vms' },
  memory: { right: 'VM.Config.Memory', base: '/vms' },
  networks: { right: 'VM.Config.Network', base: '/vms' },
  disks: { right: 'VM.Config.Disk', base: '/vms' },
  makeBackups: { right: 'VM.Backup', base: '/vms' },
  useSpace: { right: 'Datastore.AllocateSpace', base: '/storage' },
  clone: { right: 'VM.Clone', base: '/vms' },
  allocate: { right: 'VM.Allocate', base: '/vms' },
  migrate: { right: 'VM.Migrate', base: '/vms' },
  agent: { right: 'VM.GuestAgent.Unrestricted', base: '/vms' },
} as const satisfies Record<string, Need>
