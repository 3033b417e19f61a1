import { drillPool } from 'protocol'

type Ids = { first: number; last: number }

/** The privileges of the drill's role on its pool and on the vmids of its copies. */
export const drillRights = [
  ...['VM.Allocate', 'VM.Audit', 'VM.PowerMgmt', 'VM.GuestAgent.Audit', 'Pool.Audit'],
  ...['VM.Config.CDROM', 'VM.Config.CPU', 'VM.Config.Cloudinit', 'VM.Config.Disk', 'VM.Config.HWType'],
  ...['VM.Config.Memory', 'VM.Config.Network', 'VM.Config.Options'],
]
/** The privileges of the drill's role on the whole cluster: for reading backups and making volumes. */
export const drillReads = ['VM.Backup', 'Datastore.AllocateSpace', 'Datastore.Audit', 'SDN.Use', 'Sys.Audit']

export const poolLine = `pvesh create /pools --poolid ${drillPool}`

/**
 * A command line for a node's shell: it makes the pool, the roles, and a token that may make and destroy guests only in this pool and under these
 * vmids. The copy of a failed restore is in no pool, so its vmid needs the right too.
 */
export const drillLine = ({ first, last }: Ids): string =>
  [
    poolLine,
    `pveum role add JARVISDrill --privs "${drillRights.join(' ')}"`,
    `pveum role add JARVISDrillReads --privs "${drillReads.join(' ')}"`,
    'pveum user add jarvis-drill@pve',
    `pveum acl modify /pool/${drillPool} --users jarvis-drill@pve --roles JARVISDrill`,
    'pveum acl modify / --users jarvis-drill@pve --roles JARVISDrillReads',
    `for id in $(seq ${first} ${last}); do pveum acl modify /vms/$id --users jarvis-drill@pve --roles JARVISDrill; done`,
    'pveum user token add jarvis-drill@pve drill --privsep 0',
  ].join(' && ')
