import type { Alert, CheckRow } from 'protocol'
import { useMemo } from 'react'
import { type HistoryFilter, readHistory } from '../../api/alert-acts.ts'
import { usePaged } from '../../api/use-paged.ts'
import { Problem, Skeletons } from '../../app/load-state.tsx'
import { AlertList } from '../../features/alerts/list.tsx'
import type { Line } from '../../features/alerts/words.ts'
import { grouped } from '../../lib/grouped.ts'
import { PanelHead } from '../../ui/panel-head.tsx'

type Props = {
  filter: HistoryFilter
  /** The alerts that ended in the last seven days. */
  ended: number
  /** True if the page shows the history alone, which can then be filtered. */
  isAlone: boolean
  checks: readonly CheckRow[] | undefined
  set: (changes: Record<string, string | undefined>) => void
  chosen: string | undefined
  linkTo: (id: string) => string
  now: number
  isLive: boolean
  scroller: React.RefObject<HTMLElement | null>
}

const idOf = ({ id }: Alert) => id

/** Ended alerts by day, newest first. Reaching the end reads earlier ones. */
export function History({ filter, ended, isAlone, checks, set, ...shown }: Props) {
  const list = usePaged({
    key: `alert history ${JSON.stringify(filter)}`,
    read: (before) => readHistory(filter, before),
    idOf,
    on: ['connect', 'alerts'],
  })
  const lines = useMemo(() => byDay(list.items ?? []), [list.items])
  const isFiltered = Object.keys(filter).length > 0
  return (
    <section aria-label="History">
      <PanelHead title="History">
        <span className="num">7 days: {grouped(ended)}</span>
      </PanelHead>
      {isAlone && <Narrow filter={filter} checks={checks} set={set} />}
      <Problem error={list.problem} onAgain={list.again} kept={list.items !== undefined} />
      {list.items === undefined && list.problem === undefined && <Skeletons rows={4} height={38} />}
      {list.newest?.items.length === 0 && (
        <p className="alert-none">{isFiltered ? 'No alert that ended is like that.' : 'Nothing has ended yet.'}</p>
      )}
      {lines.length > 0 && <AlertList lines={lines} titleOf={() => undefined} {...shown} onEnd={list.more} />}
      <Problem error={list.earlierProblem} onAgain={list.more} kept />
    </section>
  )
}

function byDay(items: readonly Alert[]): Line[] {
  const lines: Line[] = []
  let day: number | undefined
  for (const alert of items) {
    const of = new Date(alert.resolvedAt ?? alert.since).setHours(0, 0, 0, 0)
    if (of !== day) lines.push({ kind: 'day', key: `day ${of}`, at: of })
    day = of
    lines.push({ kind: 'ended', key: alert.id, alert })
  }
  return lines
}

function Narrow({ filter, checks, set }: Pick<Props, 'filter' | 'checks' | 'set'>) {
  return (
    <form
      className="narrow alert-narrow"
      aria-label="Narrow the history"
      onSubmit={(event) => {
        event.preventDefault()
        const given = new FormData(event.currentTarget)
        const read = (name: string) => String(given.get(name) ?? '').trim()
        set({ check: read('check'), object: read('object'), node: read('node'), alert: undefined })
      }}
    >
      <label>
        Check
        <select className="field" name="check" defaultValue={filter.check ?? ''}>
          <option value="">any</option>
          {checks?.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label>
        Object
        <input className="field" name="object" defaultValue={filter.object} placeholder="vm/101" spellCheck={false} />
      </label>
      <label>
        Node
        <input className="field" name="node" defaultValue={filter.node} placeholder="any" spellCheck={false} />
      </label>
      <button type="submit" className="button small">
        Narrow
      </button>
    </form>
  )
}
