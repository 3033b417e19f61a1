import type { ClusterState, Guest } from 'protocol'
import { shareOf, withoutTemplates } from 'protocol/facts'
import type { MarkKind } from '../../ui/mark.tsx'

export type SortKey = 'guest' | 'node' | 'worst' | 'cpu' | 'memory' | 'disk' | 'net' | 'up' | 'backup'
/** The order of the table. `isDown`: largest first. */
export type Sort = { key: SortKey; isDown: boolean }
export type TableRow = { kind: 'guest'; guest: Guest } | { kind: 'node'; name: string; count: number; running: number }

const sortKeys: readonly SortKey[] = ['guest', 'node', 'worst', 'cpu', 'memory', 'disk', 'net', 'up', 'backup']

/** Reads the order from the URL: `-cpu` means by CPU, largest first. Any other text means the order by node. */
export function readSort(text: string | null): Sort {
  const key = sortKeys.find((known) => known === text?.replace(/^-/, ''))
  return { key: key ?? 'node', isDown: key !== undefined && text?.startsWith('-') === true }
}

/** Returns the order after a click on a column. The same column reverses; a column of numbers starts with the largest. */
export function nextSort(now: Sort, key: SortKey): string {
  const isDown = now.key === key ? !now.isDown : key !== 'guest' && key !== 'node'
  return `${isDown ? '-' : ''}${key}`
}

/** Filters of the guests. `text`: words that must all occur. `node`, `tag`: exactly these; empty: any. */
export type Narrowing = { text: string; node: string; tag: string }

/** True if a guest passes the filters. Each word must be in its number, name, node, state, type, tags or pool. */
export function isWanted(guest: Guest, { text, node, tag }: Narrowing): boolean {
  if ((node !== '' && guest.node !== node) || (tag !== '' && !guest.tags.includes(tag))) return false
  const { vmid, name, type, status, tags, pool = '', lock = '' } = guest
  const state = guest.isTemplate === true ? 'template' : status
  const facts = [vmid, name, guest.node, state, type, ...tags, pool, lock].join(' ').toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => facts.includes(word))
}

/** All tags of guests, the most used first, with the number of guests. */
export function tagsOf(guests: readonly Guest[]): [tag: string, count: number][] {
  const counts = new Map<string, number>()
  for (const tag of guests.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  return [...counts].sort(([a, x], [b, y]) => y - x || a.localeCompare(b))
}

const gravest: readonly MarkKind[] = ['bad', 'warn', 'unknown', 'paused', 'running', 'stopped', 'none']

const figures: Record<Exclude<SortKey, 'guest' | 'node' | 'worst'>, (guest: Guest) => number | undefined> = {
  cpu: (guest) => (guest.status === 'running' ? (guest.cpuRatio ?? undefined) : undefined),
  memory: (guest) => (guest.status === 'running' ? shareOf(guest.ramBytes, guest.ramTotalBytes) : undefined),
  disk: (guest) => (guest.diskBytes === 0 ? undefined : shareOf(guest.diskBytes, guest.diskTotalBytes)),
  net: (guest) => (guest.netInBps === undefined ? undefined : guest.netInBps + (guest.netOutBps ?? 0)),
  up: (guest) => (guest.status === 'running' ? (guest.uptimeS ?? undefined) : undefined),
  // Sort by age: the newest backup has the smallest age.
  backup: (guest) => (typeof guest.backupAt === 'number' ? -guest.backupAt : undefined),
}

/** How much of its CPU or memory a guest uses, 0 to 1, whichever is more. */
const heft = (guest: Guest) => Math.max(figures.cpu(guest) ?? 0, figures.memory(guest) ?? 0)

/** Returns the guests in order; guests without a value come last. If grouped, a row for each node precedes its guests. */
export function rowsOf(
  state: ClusterState,
  guests: readonly Guest[],
  {
    sort,
    isGrouped,
    markOf = ({ status }) => status,
  }: { sort: Sort; isGrouped: boolean; markOf?: (guest: Guest) => MarkKind },
): TableRow[] {
  const place = new Map(state.nodes.map((node, at) => [node.name, at]))
  const byNode = (a: Guest, b: Guest) => (place.get(a.node) ?? 999) - (place.get(b.node) ?? 999) || a.vmid - b.vmid
  const turn = sort.isDown ? -1 : 1
  const { key } = sort
  const ranks = new Map(key === 'worst' ? guests.map((guest) => [guest.vmid, gravest.indexOf(markOf(guest))]) : [])
  const order =
    key === 'node'
      ? (a: Guest, b: Guest) => turn * byNode(a, b)
      : key === 'guest'
        ? (a: Guest, b: Guest) => turn * (a.vmid - b.vmid)
        : key === 'worst'
          ? (a: Guest, b: Guest) =>
              turn * (ranks.get(a.vmid) ?? 0) - turn * (ranks.get(b.vmid) ?? 0) || heft(b) - heft(a)
          : (a: Guest, b: Guest) => {
              const [x, y] = [figures[key](a), figures[key](b)]
              if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined)
              return turn * (x - y)
            }
  const sorted = guests.toSorted((a, b) => order(a, b) || a.vmid - b.vmid)
  if (!isGrouped) return sorted.map((guest) => ({ kind: 'guest', guest }))
  const groups = new Map<string, Guest[]>(state.nodes.map(({ name }) => [name, []]))
  for (const guest of sorted) {
    const own = groups.get(guest.node)
    if (own === undefined) groups.set(guest.node, [guest])
    else own.push(guest)
  }
  return [...groups].flatMap(([name, own]): TableRow[] =>
    own.length === 0
      ? []
      : [
          {
            kind: 'node',
            name,
            count: withoutTemplates(own).length,
            running: own.filter(({ status }) => status === 'running').length,
          },
          ...own.map((guest): TableRow => ({ kind: 'guest', guest })),
        ],
  )
}
