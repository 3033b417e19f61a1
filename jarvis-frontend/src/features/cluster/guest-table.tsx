import { useVirtualizer } from '@tanstack/react-virtual'
import type { Guest } from 'protocol'
import { useLayoutEffect, useRef, useState } from 'react'
import { plural } from '../../lib/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import type { MarkKind } from '../../ui/mark.tsx'
import { usePrinting } from '../../ui/printing.ts'
import { GuestTableRow } from './guest-table-row.tsx'
import type { Ghosts } from './parts.tsx'
import { nodePath } from './paths.ts'
import { nextSort, type Sort, type SortKey, type TableRow } from './rows.ts'

/** A table with more rows than this draws only the rows near the screen. */
const virtualOver = 60

type Column = { key?: SortKey; name: string; className?: string }
const columns: readonly Column[] = [
  { key: 'guest', name: 'Guest', className: 'name' },
  { key: 'node', name: 'Node', className: 'place' },
  { key: 'cpu', name: 'CPU', className: 'n bar' },
  { key: 'memory', name: 'Memory', className: 'n bar' },
  { name: 'GiB', className: 'n gib' },
  { key: 'disk', name: 'Disk', className: 'n short' },
  { key: 'net', name: 'Net /s', className: 'n net' },
  { key: 'up', name: 'Up', className: 'n short' },
  { key: 'backup', name: 'Backup', className: 'n backup' },
]
const hideable = columns.filter(({ className }) => /gib|net/.test(className ?? ''))
const alwaysShown = columns.length - hideable.length

export type TableProps = {
  rows: readonly TableRow[]
  markOf: (guest: Guest) => MarkKind
  isBusy: (guest: Guest) => boolean
  ghosts: Ghosts
  now: number
  sort: Sort
  /** The vmid of the guest shown in detail. */
  chosen: string | undefined
  linkTo: (change: { sort?: string; detail?: string }) => string
}

export function GuestTable({ rows, markOf, isBusy, ghosts, now, sort, chosen, linkTo }: TableProps) {
  const table = useRef<HTMLTableElement>(null)
  const isPrinting = usePrinting()
  const isVirtual = rows.length > virtualOver && !isPrinting
  const { scroller, margin, heights } = useScroller(table)
  const virtual = useVirtualizer({
    count: rows.length,
    enabled: isVirtual,
    getScrollElement: () => scroller,
    estimateSize: (at) => (rows[at]?.kind === 'node' ? heights.node : heights.guest),
    scrollMargin: margin,
    overscan: 8,
    getItemKey: (at) => keyOf(rows[at]),
  })
  const items = isVirtual ? virtual.getVirtualItems() : rows.map((_, index) => ({ index, start: 0, end: 0 }))
  // Row heights are calculated, not measured. If the real heights differ, all rows are laid out again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it asks for them by `estimateSize`
  useLayoutEffect(() => virtual.measure(), [virtual, heights])
  const before = isVirtual ? (items[0]?.start ?? margin) - margin : 0
  const after = isVirtual ? virtual.getTotalSize() - ((items.at(-1)?.end ?? margin) - margin) : 0
  return (
    <table className="guests" ref={table} aria-rowcount={rows.length + 1}>
      <thead>
        <tr>
          {columns.map(({ key, name, className }) => (
            <th
              key={name}
              className={className}
              aria-sort={key === sort.key ? (sort.isDown ? 'descending' : 'ascending') : undefined}
            >
              {key === undefined ? (
                name
              ) : (
                <Link to={linkTo({ sort: nextSort(sort, key) })} replace>
                  {name}
                  {key === sort.key && <Icon name="down" className={sort.isDown ? '' : 'flip'} />}
                </Link>
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {before > 0 && <Room height={before} />}
        {items.map(({ index }) => {
          const row = rows[index]
          if (row === undefined) return null
          if (row.kind === 'node') return <GroupRow key={keyOf(row)} row={row} />
          const { guest } = row
          return (
            <GuestTableRow
              key={guest.vmid}
              at={index}
              guest={guest}
              mark={markOf(guest)}
              isBusy={isBusy(guest)}
              ghost={ghosts.get(guest.vmid)}
              isChosen={String(guest.vmid) === chosen}
              to={linkTo({ detail: `guest/${guest.vmid}` })}
              now={now}
            />
          )
        })}
        {after > 0 && <Room height={after} />}
      </tbody>
    </table>
  )
}

const keyOf = (row: TableRow | undefined) =>
  row === undefined ? '' : row.kind === 'node' ? `node ${row.name}` : row.guest.vmid

// A placeholder row. No colspan: if it spanned columns that a narrow table hides, it would create new columns, which take their width from the
// names.
const Room = ({ height }: { height: number }) => (
  <tr className="room">
    <td style={{ height }} />
  </tr>
)

type Scroller = { scroller: HTMLElement | null; margin: number; heights: { guest: number; node: number } }

/** Returns the element that scrolls the table (which one depends on the width), the position of the rows in it, and their heights, px. */
function useScroller(table: React.RefObject<HTMLTableElement | null>) {
  const [found, setFound] = useState<Scroller>({ scroller: null, margin: 0, heights: { guest: 26.5, node: 30 } })
  useLayoutEffect(() => {
    const look = () => {
      const body = table.current?.tBodies[0]
      if (body === undefined) return
      let scroller = table.current?.parentElement ?? null
      while (scroller !== null && !/auto|scroll/.test(getComputedStyle(scroller).overflowY))
        scroller = scroller.parentElement
      if (scroller === null) return
      const margin = body.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop
      const heightOf = (kind: string) => body.querySelector(kind)?.getBoundingClientRect().height
      setFound(({ heights, ...before }) => {
        const next = { guest: heightOf('.guest-row') ?? heights.guest, node: heightOf('.group') ?? heights.node }
        const isSame = next.guest === heights.guest && next.node === heights.node
        return { ...before, scroller, margin, heights: isSame ? heights : next }
      })
    }
    look()
    addEventListener('resize', look)
    return () => removeEventListener('resize', look)
  }, [table])
  return found
}

const GroupRow = ({ row }: { row: TableRow & { kind: 'node' } }) => (
  <tr className="group">
    <th colSpan={alwaysShown} scope="rowgroup">
      <Link to={nodePath(row.name)}>{row.name}</Link>{' '}
      <small>
        {row.running} of {plural(row.count, 'guest')} running
      </small>
    </th>
    {hideable.map(({ name, className }) => (
      <td key={name} className={className} />
    ))}
  </tr>
)
