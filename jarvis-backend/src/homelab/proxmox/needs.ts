import { type Rights, reachOf } from './rights.ts'

/** A right, and under which path it must hold. */
export type Need = { right: string; base: '/' | '/nodes' | '/vms' | '/storage' }
/** `some`: on a part of the cluster, so that the tool shows or changes only that part. */
export type ToolRights = { toolName: string; granted: 'all' | 'some' | 'none'; missing: Need[] }

const guests: Need = { right: 'VM.Audit', base: '/vms' }
const power: Need = { right: 'VM.PowerMgmt', base: '/vms' }
const storages: Need = { right: 'Datastore.Audit', base: '/storage' }
const nodes: Need = { right: 'Sys.Audit', base: '/nodes' }
const quorum: Need = { right: 'Sys.Audit', base: '/' }

/** What each tool asks of the API; those that are not here go over SSH or the network alone. */
export const toolNeeds: Readonly<Record<string, readonly Need[]>> = {
  get_cluster_status: [quorum, nodes, guests],
  get_cluster_resources: [nodes, guests, storages],
  get_node_status: [nodes],
  get_recent_tasks: [nodes],
  get_vms: [guests],
  get_containers: [guests],
  get_storage: [storages],
  get_backups: [
    { right: 'Datastore.AllocateSpace', base: '/storage' },
    { right: 'VM.Backup', base: '/vms' },
  ],
  start_vm: [guests, power],
  stop_vm: [guests, power],
  restart_vm: [guests, power],
  start_container: [guests, power],
  stop_container: [guests, power],
  restart_container: [guests, power],
  restart_service: [{ right: 'Sys.Modify', base: '/nodes' }],
}

/** Which tools the token's rights serve, and what the others lack. @returns undefined where the cluster does not say. */
export function toolRights(rights: Rights): ToolRights[] | undefined {
  if (rights === undefined) return undefined
  return Object.entries(toolNeeds).map(([toolName, needs]) => {
    // The other way to the same list.
    const isServed = toolName === 'get_backups' && reachOf(rights, 'Datastore.Allocate', '/storage') === 'all'
    const reaches = isServed ? [] : needs.map((need) => ({ need, reach: reachOf(rights, need.right, need.base) }))
    const missing = reaches.filter(({ reach }) => reach !== 'all').map(({ need }) => need)
    const granted = reaches.some(({ reach }) => reach === 'none') ? 'none' : missing.length > 0 ? 'some' : 'all'
    return { toolName, granted, missing }
  })
}

/** Every right that some tool needs, once. */
export const allRights: readonly string[] = [
  ...new Set(
    Object.values(toolNeeds)
      .flat()
      .map(({ right }) => right),
  ),
].sort()

/** One line for a node's shell: the role with just these rights, its user, and the token, whose secret it prints. */
export const pveumLine = [
  `pveum role add JARVIS --privs "${allRights.join(' ')}"`,
  'pveum user add jarvis@pve',
  'pveum acl modify / --users jarvis@pve --roles JARVIS',
  'pveum user token add jarvis@pve jarvis --privsep 0',
].join(' && ')

/** What adds the missing rights to the role of `pveumLine`. */
export const roleLine = (missing: readonly string[]): string =>
  `pveum role modify JARVIS --append 1 --privs "${[...new Set(missing)].join(' ')}"`
