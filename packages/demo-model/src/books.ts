import type { ClusterState } from 'protocol'
import { read } from './inquiries/inquiry.ts'
import { mentions } from './mentions.ts'
import type { PlannedCall } from './questions.ts'

/** A skill that comes with JARVIS, and the first reads for it. The demo model works by rules and cannot follow the skill's text. */
type Book = { about: RegExp; reads(nodes: readonly string[]): PlannedCall[] }

const perNode = (toolName: string, nodes: readonly string[]) => nodes.map((node) => read(toolName, { node }))

const books: Readonly<Record<string, Book>> = {
  'disk-health': {
    about: /\b(?:disks?|drives?|ssds?|smart|zfs|pools?)\b/i,
    reads: (nodes) => [
      ...(nodes.length === 0 ? [read('get_storage_health')] : perNode('get_storage_health', nodes)),
      read('get_uncovered_guests'),
    ],
  },
  'backups-and-restore': {
    about: /\b(?:back(?:ed)?[- ]?ups?|restores?)\b/i,
    reads: () => [read('get_backups'), read('get_uncovered_guests'), read('list_restore_proofs')],
  },
  'node-updates': {
    about: /\b(?:updates?|upgrades?|patch\w*)\b/i,
    reads: (nodes) => [...perNode('get_updates', nodes), read('get_ha_state')],
  },
  'network-change': {
    about: /\b(?:networks?|bridges?|vlans?)\b/i,
    reads: (nodes) => perNode('get_node_network', nodes),
  },
  'storage-full': { about: /\b(?:full|storages?|space)\b/i, reads: () => [read('get_storage')] },
}

/** A task that a skill covers. `load`: the skill's text is not in the conversation yet, so it must be loaded. */
export type ByBook = { skill: string; load: boolean; reads: PlannedCall[] }

const byTheBook = /\b(?:by the book|(?:use|with|follow|load) (?:the |a )?(?:skill\b|[\w-]+ skill\b))/i

/** Finds the skill that a message asks for, and its reads: `/disk-health`, `check my disks by the book`, `use the disk-health skill`. */
export function byBook(message: string, cluster: ClusterState): ByBook | undefined {
  const [, named] = /^\/([a-z0-9-]+)(?=\s|$)/.exec(message) ?? []
  const [, said, before] = /(?<![a-z0-9-])(?:skill ([a-z0-9-]+)|([a-z0-9-]+) skill)\b/i.exec(message) ?? []
  const skill =
    named ??
    (byTheBook.test(message)
      ? ([said, before].find((name) => name !== undefined && name in books) ??
        Object.keys(books).find((name) => books[name]?.about.test(message)))
      : undefined)
  const book = skill === undefined ? undefined : books[skill]
  if (skill === undefined || book === undefined) return undefined
  const { nodes } = mentions(message, cluster)
  const online = cluster.nodes.filter(({ status }) => status === 'online')
  const isEach = skill === 'node-updates' || skill === 'network-change'
  const places = nodes.length > 0 ? nodes : isEach ? online : []
  return { skill, load: named === undefined, reads: book.reads(places.map(({ name }) => name)) }
}
