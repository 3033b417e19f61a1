import type { ClusterState, Guest, Storage } from 'protocol'
import { shareOf } from 'protocol/facts'
import type { Focus } from './questions.ts'

/** A sentence that matched a pattern. `words`: the named groups of the pattern. `ownCalls`: ids of this chat's earlier calls. */
export type Said = {
  words: Readonly<Record<string, string | undefined>>
  cluster: ClusterState
  ownCalls: readonly string[]
  /** The guests and nodes that the conversation was last about. */
  focus: Focus
}
export type OfGuest = Said & { guest: Guest }

/** Removes quotation marks around a text; empty if there is no text. */
export const unquoted = (text = ''): string => text.trim().replace(/^["'“`](.*)["'”`]$/s, '$1')

/** Reads amounts such as `4 cores / 8 GB` as settings: `cores`, and `memory` in MiB. */
export function amountsIn(text = ''): Record<string, number> {
  const found = [...text.matchAll(/(?<!\d)(\d+)\s*(?:(v?cpus?|cores?)|(g)|m)/gi)]
  return Object.fromEntries(
    found.map(([, count, cores, giga]): [string, number] =>
      cores === undefined ? ['memory', Number(count) * (giga === undefined ? 1 : 1024)] : ['cores', Number(count)],
    ),
  )
}

/** Returns a name for a snapshot, from the cluster's time: `at-20261121-064200`. */
export const snapshotName = ({ at }: ClusterState): string =>
  `at-${new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}`

/** Returns the vmid that the sentence names, otherwise the next one above the guest's vmid that no known guest has. */
export function freeId({ guests }: ClusterState, { vmid }: Guest, said: string | undefined): number {
  if (said !== undefined) return Number(said)
  const taken = new Set(guests.map((guest) => guest.vmid))
  let id = vmid + 1
  while (taken.has(id)) id += 1
  return id
}

/** Returns the storages of a node that can be written to now and accept this content, the emptiest first. */
export const storagesFor = ({ storages }: ClusterState, node: string, content: string): Storage[] =>
  storages
    .filter((storage) => storage.isActive && (storage.node ?? node) === node && storage.content.includes(content))
    .toSorted((a, b) => (shareOf(a.usedBytes, a.totalBytes) ?? 1) - (shareOf(b.usedBytes, b.totalBytes) ?? 1))

/**
 * Returns the storage for a guest's backup: the one that the sentence names, otherwise the emptiest. @returns a sentence for the person if there is
 * none
 */
export function backupStorage(cluster: ClusterState, { node }: Guest, said: string | undefined): Storage | string {
  const fit = storagesFor(cluster, node, 'backup')
  const found = said === undefined ? fit[0] : fit.find(({ name }) => name.toLowerCase() === said.toLowerCase())
  if (found !== undefined) return found
  const all = fit.length === 0 ? 'I see none' : `There are ${fit.map(({ name }) => name).join(', ')}`
  return said === undefined
    ? `I see no storage that holds backups and can be reached from ${node} now.`
    : `“${said}” is no storage for backups that can be reached from ${node} now. ${all}.`
}
