import type { Alert, CheckRow } from 'protocol'
import { ApiError } from 'protocol/client'
import { useMemo, useRef, useState } from 'react'
import { type HistoryFilter, readHistory } from '../../api/alert-acts.ts'
import { useLoad } from '../../api/use-load.ts'
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

/** Ended alerts by day, newest first. Reaching the end reads earlier ones. */
export function History({ filter, ended, isAlone, checks, set, ...list }: Props) {
  const newest = useLoad(`alert history ${JSON.stringify(filter)}`, () => readHistory(filter), ['connect', 'alerts'])
  const [older, setOlder] = useState<{ items: Alert[]; next: string | undefined }>()
  const [problem, setProblem] = useState<ApiError>()
  const isReading = useRef(false)
  const next = older === undefined ? newest.data?.next : older.next
  const more = async () => {
    if (next === undefined || isReading.current) return
    isReading.current = true
    try {
      const page = await readHistory(filter, next)
      setOlder((before) => ({ items: [...(before?.items ?? []), ...page.items], next: page.next }))
      setProblem(undefined)
    } catch (error) {
      setProblem(error instanceof ApiError ? error : new ApiError('unreadable', 'The answer could not be read.'))
    }
    isReading.current = false
  }
  const read = newest.data?.items
  const lines = useMemo(() => {
    const seen = new Set(read?.map(({ id }) => id))
    return byDay([...(read ?? []), ...(older?.items ?? []).filter(({ id }) => !seen.has(id))])
  }, [read, older])
  const isFiltered = Object.keys(filter).length > 0
  return (
    <section aria-label="History">
      <PanelHead title="History">
        <span className="num">7 days: {grouped(ended)}</span>
      </PanelHead>
      {isAlone && <Narrow filter={filter} checks={checks} set={set} />}
      <Problem error={newest.problem} onAgain={newest.again} kept={read !== undefined} />
      {read === undefined && newest.problem === undefined && <Skeletons rows={4} height={38} />}
      {read?.length === 0 && (
        <p className="alert-none">{isFiltered ? 'No alert that ended is like that.' : 'Nothing has ended yet.'}</p>
      )}
      {lines.length > 0 && <AlertList lines={lines} titleOf={() => undefined} {...list} onEnd={() => void more()} />}
      <Problem error={problem} onAgain={() => void more()} kept />
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
