import { asFarAsSeen, type Storage, type Target } from 'protocol'
import { storageSeries } from 'protocol/facts'
import { Mistake } from './effect.ts'
import type { World } from './world.ts'

/**
 * Returns the storage with this name. @param node if given, the node that the storage must be on
 * @throws Mistake if there is none, or if several nodes have a storage with this name
 */
export function storageTarget(
  { storage, node }: { storage: string; node?: string | undefined },
  { cluster }: World,
): Target {
  const { storages = [], missing = [] } = cluster
  const named = storages.filter(({ name }) => name === storage)
  const [found, ...others] = named.filter(({ node: at }) => node === undefined || at === undefined || at === node)
  if (found === undefined) {
    const [unread] = storages.length === 0 ? missing : []
    const place = node === undefined ? '' : ` on ${node}`
    const as = unread === undefined ? asFarAsSeen('storages', cluster) : ` that is known: ${unread}`
    throw new Mistake(`storage: there is no storage ${storage}${place}${as}.`)
  }
  if (others.length > 0)
    throw new Mistake(`node: ${storage} is on ${named.map(({ node: at }) => at).join(', ')}. Name one of them.`)
  const status = found.isActive === null ? 'unknown' : found.isActive ? 'active' : 'inactive'
  return {
    kind: 'storage',
    id: storageSeries(found),
    name: found.name,
    status,
    ...(found.node !== undefined && { node: found.node }),
  }
}

/** Returns the storage in its present state. */
export const storageOf = ({ name, node }: Target, { cluster: { storages = [] } }: World): Storage | undefined =>
  storages.find((storage) => storage.name === name && storage.node === node)

/** Returns the last part of `storage/NAME` or `storage/NODE/NAME`. */
const nameIn = (id: string) => id.slice(id.lastIndexOf('/') + 1)

/** Returns the storages among lower-case ids, by name. */
export const storagesIn = (ids: Iterable<string>): Map<string, Target> =>
  new Map(
    [...ids].flatMap((id) => {
      const [kind, ...place] = id.split('/')
      const name = place.pop() ?? ''
      const [node] = place
      return kind === 'storage' ? [[name, { kind, id, name, ...(node !== undefined && { node }) }]] : []
    }),
  )

/**
 * Returns true if one of these lower-case ids names the storage. `storage/NAME` names it on every node, `storage/NODE/NAME` on one node. A storage
 * without a node may be on any node.
 */
export function namesStorage(ids: Iterable<string>, { kind, id, node }: Target): boolean {
  if (kind !== 'storage') return false
  const name = nameIn(id).toLowerCase()
  return [...ids].some((one) => {
    if (!one.startsWith('storage/') || nameIn(one) !== name) return false
    return node === undefined || one === `storage/${name}` || one === `storage/${node.toLowerCase()}/${name}`
  })
}
