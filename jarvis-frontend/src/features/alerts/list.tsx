import { useVirtualizer } from '@tanstack/react-virtual'
import type { Alert } from 'protocol'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { clock, dateOf, plural, span } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { FilledRing } from '../../ui/filled-ring.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { usePrinting } from '../../ui/printing.ts'
import { detailOf, endingOf, groupOf, groupWord, headOf, type Line, markOf, severityWord } from './words.ts'

const rowPx = { group: 34, day: 34, alert: 47, ended: 47, hidden: 31 }
/** Distance from the end of the list, in rows, at which more alerts are read. */
const rowsAhead = 15

type Props = {
  lines: readonly Line[]
  chosen: string | undefined
  linkTo: (id: string) => string
  /** The title of a check; undefined if it is not known. */
  titleOf: (check: string) => string | undefined
  now: number
  isLive: boolean
  scroller: React.RefObject<HTMLElement | null>
  onEnd?: (() => void) | undefined
}

/** Alerts by group, and ended ones by day. Only rows near the screen are drawn. */
export function AlertList({ lines, chosen, linkTo, titleOf, now, isLive, scroller, onEnd }: Props) {
  const list = useRef<HTMLUListElement>(null)
  const [top, setTop] = useState(0)
  // Keep the same function: a new one would measure all rows again.
  const keyOf = useCallback((at: number) => lines[at]?.key ?? at, [lines])
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    getItemKey: keyOf,
    estimateSize: (at) => rowPx[lines[at]?.kind ?? 'alert'],
    overscan: usePrinting() ? lines.length : 20,
    scrollMargin: top,
  })
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), [])
  const drawn = rows.getVirtualItems()
  const isNearEnd = (drawn.at(-1)?.index ?? 0) >= lines.length - rowsAhead
  const end = useRef(onEnd)
  end.current = onEnd
  // biome-ignore lint/correctness/useExhaustiveDependencies: more lines may still be too few
  useEffect(() => {
    if (isNearEnd) end.current?.()
  }, [isNearEnd, lines.length])
  return (
    <ul ref={list} className="alert-list" style={{ height: rows.getTotalSize() }}>
      {drawn.map(({ key, index, start }) => {
        const line = lines[index]
        return (
          line !== undefined && (
            <li
              key={key}
              ref={rows.measureElement}
              data-index={index}
              style={{ transform: `translateY(${start - top}px)` }}
            >
              <Row line={line} {...{ chosen, linkTo, titleOf, now, isLive }} />
            </li>
          )
        )
      })}
    </ul>
  )
}

function Row({ line, chosen, linkTo, titleOf, now, isLive }: { line: Line } & Omit<Props, 'lines' | 'scroller'>) {
  switch (line.kind) {
    case 'group':
      return (
        <div className="panel-head">
          <h2>{groupWord[line.group]}</h2>
          {line.count !== undefined && <span className="panel-aside num">{line.count}</span>}
        </div>
      )
    case 'day':
      return <h3 className="alert-day">{dateOf(line.at, now)}</h3>
    case 'hidden':
      return <Hidden {...{ line, linkTo, titleOf, chosen }} />
    case 'ended': {
      const [words, lasted] = endingOf(line.alert, now)
      return (
        <AlertLink alert={line.alert} to={linkTo(line.alert.id)} isHere={line.alert.id === chosen}>
          <Mark kind={isLive ? 'ok' : 'unknown'} size={11} label="ended" />
          <span className="cut">
            <Visible text={line.alert.sentence} />
          </span>
          <span className="num text-soft">{lasted}</span>
          <small>
            <Visible text={words} />
          </small>
        </AlertLink>
      )
    }
    case 'alert': {
      const { alert, above } = line
      return (
        <AlertLink alert={alert} to={linkTo(alert.id)} isHere={alert.id === chosen}>
          <AlertMark alert={alert} now={now} isLive={isLive} />
          <span className={`alert-sentence${alert.severity === 'failed' ? ' strong' : ''}`}>
            <Visible text={headOf(alert)} />
          </span>
          <span className="num text-soft">{asideOf(alert, now)}</span>
          <small>
            <Visible text={detailOf(alert, above, now)} />
          </small>
        </AlertLink>
      )
    }
  }
}

type LinkProps = { alert: Alert; to: string; isHere: boolean; children: React.ReactNode }
const AlertLink = ({ alert, to, isHere, children }: LinkProps) => (
  <Link to={to} className="alert-row" data-row={alert.id} aria-current={isHere ? 'true' : undefined}>
    {children}
  </Link>
)

/** The alerts of one check that are hidden because another alert explains them. */
function Hidden({
  line: { check, items },
  linkTo,
  titleOf,
  chosen,
}: { line: Extract<Line, { kind: 'hidden' }> } & Pick<Props, 'linkTo' | 'titleOf' | 'chosen'>) {
  const [first] = items
  if (first === undefined) return null
  const one = items.length === 1
  return (
    <Link
      to={linkTo(first.id)}
      className="alert-row hidden-row"
      data-row={first.id}
      aria-current={items.some(({ id }) => id === chosen) ? 'true' : undefined}
    >
      <Mark kind="unknown" size={11} label="hidden" />
      <span className="cut text-soft">
        {one ? (
          <Visible text={headOf(first)} />
        ) : (
          <>
            {plural(items.length, 'alert')}: {titleOf(check) ?? check}{' '}
            <span className="text-dim">
              <Visible text={items.map(nameOf).join(', ')} />
            </span>
          </>
        )}
      </span>
    </Link>
  )
}

/** The name of an alert's object: `140 uptime-kuma`, `pve`, `storage/pve/local`. */
export const nameOf = ({ object: { id, name, vmid } }: Alert): string =>
  [vmid, name].filter((part) => part !== undefined).join(' ') || id.replace(/^node\//, '')

/** The alert's mark: progress until it fires, acknowledged or silenced, or its severity. */
export function AlertMark({ alert, now, isLive }: { alert: Alert; now: number; isLive: boolean }) {
  const group = groupOf(alert)
  if (group === 'acknowledged') return <Icon name="check" />
  if (group === 'silenced') return <Icon name="bell-off" />
  if (group === 'pending' && alert.firesAt !== undefined) {
    return <FilledRing share={(now - alert.since) / Math.max(1, alert.firesAt - alert.since)} />
  }
  const word = alert.state === 'held' ? 'held' : severityWord[alert.severity]
  return <Mark kind={markOf(alert, isLive)} size={12} label={word} />
}

function asideOf(alert: Alert, now: number): string {
  switch (groupOf(alert)) {
    case 'pending':
      return alert.firesAt === undefined ? '' : clock(alert.firesAt - now)
    case 'acknowledged':
      return alert.value ?? ''
    case 'silenced':
      return alert.silenced?.until === undefined ? 'no end' : span(alert.silenced.until - now)
    case 'firing':
      return alert.state === 'held' ? 'Held' : severityWord[alert.severity]
  }
}
