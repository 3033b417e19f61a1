import type { Partial } from 'homelab-ports/ports'
import type { AlertObject, Guest, Node, Severity } from 'protocol'
import { plainName } from '../homelab/format.ts'
import { isForbidden } from '../homelab/pve/rights.ts'
import { CannotRun, type CheckPorts, type Looked, type Measure } from './check.ts'

export const siteObject: AlertObject = { id: 'site' }
export const nodeObject = (name: string): AlertObject => ({ id: `node/${name}`, name, node: name })
export const guestObject = ({
  vmid,
  name,
  type,
  node,
  identity,
}: Pick<Guest, 'vmid' | 'name' | 'type' | 'node' | 'identity'>): AlertObject => ({
  id: `${type}/${vmid}`,
  name,
  node,
  vmid,
  ...(identity !== undefined && { guest: { id: identity.id, since: identity.since } }),
})
/** @param path the disk's device: `/dev/sda` */
export const diskObject = (node: string, path: string): AlertObject =>
  partObject('disk', node, path.replace(/^\/dev\//, ''))
export const bridgeObject = (node: string, name: string): AlertObject => partObject('bridge', node, name)
/** A disk, a pool or a bridge of a node. */
export const partObject = (kind: 'disk' | 'pool' | 'bridge', node: string, name: string): AlertObject => ({
  id: `${kind}/${node}/${name}`,
  name,
  node,
})
/** @param node absent if the storage is shared */
export const storageObject = ({ name, node }: { name: string; node?: string | undefined }): AlertObject => ({
  id: `storage/${node === undefined ? '' : `${node}/`}${name}`,
  name,
  node,
})

/** A guest in words: `CT 113 vaultwarden` */
export const guestName = ({ vmid, name, type }: Pick<Guest, 'vmid' | 'name' | 'type'>): string =>
  `${type.toUpperCase()} ${vmid} ${plainName(name)}`

/**
 * The level of a value that is worse the higher it is. @param of `clear`: values at or below it are well; without `failed`, the level is never
 * `failed`
 */
export function over(value: number, of: { look: number; failed?: number; clear: number }): Measure['level'] {
  if (of.failed !== undefined && value >= of.failed) return 'failed'
  if (value >= of.look) return 'look'
  return value > of.clear ? 'between' : 'clear'
}

/** The level of a value that is worse the lower it is. */
export const under = (value: number, { look, failed, clear }: { look: number; failed?: number; clear: number }) =>
  over(-value, { look: -look, clear: -clear, ...(failed !== undefined && { failed: -failed }) })

/** `bad` if the condition holds, else `clear`. */
export const when = (isSo: boolean, bad: Severity): Measure['level'] => (isSo ? bad : 'clear')

/** The result of a look that could read everything. */
export const seen = (measures: readonly Measure[]): Looked => ({ measures, unread: new Map() })

/** Words in a result that mean: the token may not read this part. */
const lacksRight = /not visible to this token/

/**
 * Reads something from each node that is online, one after the other. A node that could not be read is in `unread`. @throws CannotRun if the token
 * lacks a right and nothing was found; the signal's reason
 */
export async function fromNodes<T>(
  { state, signal }: Pick<CheckPorts, 'state' | 'signal'>,
  read: (node: Node) => Promise<readonly T[]>,
): Promise<{ items: T[]; unread: Map<string, string> }> {
  const items: T[] = []
  const unread = new Map<string, string>()
  let refused: string | undefined
  for (const node of state.nodes) {
    if (node.status !== 'online') {
      unread.set(node.name, `${plainName(node.name)} is ${node.status}`)
      continue
    }
    try {
      items.push(...(await read(node)))
    } catch (error) {
      signal.throwIfAborted()
      const why = error instanceof Error ? error.message : String(error)
      if (error instanceof CannotRun || isForbidden(error) || lacksRight.test(why)) refused = why
      unread.set(node.name, why)
    }
  }
  if (items.length === 0 && refused !== undefined) throw new CannotRun(refused)
  return { items, unread }
}

/** The items of a reading from one node. @throws Error with the reason if it could not be read */
export function itemsOf<T>({ items, missing, isUnread }: Partial<T>): readonly T[] {
  if (isUnread) throw new Error(missing[0] ?? 'It could not be read.')
  return items
}
