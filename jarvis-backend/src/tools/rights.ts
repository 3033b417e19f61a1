import { type Need, type Rights, reachOf } from '../homelab/proxmox/rights.ts'
import { houseTools } from './house.ts'

/** `some`: on a part of the cluster, so that the tool shows or changes only that part. */
export type ToolRights = { toolName: string; granted: 'all' | 'some' | 'none'; missing: Need[] }

/** What each tool asks of the API; those that are not here go over SSH or the network alone. */
export const toolNeeds: ReadonlyMap<string, readonly Need[]> = new Map(
  houseTools.flatMap(({ name, needs }) => (needs === undefined ? [] : [[name, needs] as const])),
)

/** Which tools the token's rights serve, and what the others lack. @returns undefined where the cluster does not say. */
export function toolRights(rights: Rights): ToolRights[] | undefined {
  if (rights === undefined) return undefined
  return [...toolNeeds].map(([toolName, needs]) => {
    const reaches = needs
      .filter(
        ({ unless, base }) => unless === undefined || reachOf(rights, unless, '/storage') !== 'all' || base === '/',
      )
      .map((need) => ({ need, reach: reachOf(rights, need.right, need.base) }))
    const missing = reaches.filter(({ reach }) => reach !== 'all').map(({ need }) => need)
    const granted = reaches.some(({ reach }) => reach === 'none') ? 'none' : missing.length > 0 ? 'some' : 'all'
    return { toolName, granted, missing }
  })
}

/** Every right that some tool needs, once. */
export const allRights: readonly string[] = [
  ...new Set([...toolNeeds.values()].flat().map(({ right }) => right)),
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
