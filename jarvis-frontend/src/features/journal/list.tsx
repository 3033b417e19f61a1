import type { JournalEntry } from 'protocol'
import { useNameOf } from '../../api/names.ts'
import { dateOf, plural } from '../../lib/format.ts'
import { grouped } from '../../lib/grouped.ts'
import { Visible } from '../../ui/boxed.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Tier, tierWord } from '../../ui/tier.tsx'
import { visibleText } from '../../ui/visible.ts'
import { lineOfRow, type Row, rowsOf } from './calls.ts'
import { factsOf } from './facts.ts'
import { lineOf } from './line.ts'

export type Broken = { at: number; reason: string }

type Props = {
  items: readonly JournalEntry[]
  /** Further entries of the calls in the list. */
  besides: readonly JournalEntry[]
  open: number | undefined
  broken: Broken | undefined
  /** True if the entries of one call are one row. */
  isGrouped: boolean
  onOpen: (seq: number | undefined) => void
  /** Links of the open entry, such as to its session. */
  more: (entry: JournalEntry) => React.ReactNode
  /** Draws the signed statement of an open entry. */
  signature: (entry: JournalEntry) => React.ReactNode
  /** Draws the state of a call's change, with Undo. */
  change: (toolUseId: string) => React.ReactNode
}

/**
 * The list of entries, newest first, with the entries of one call in one row. If the hash chain is broken, the list is cut at the broken entry and
 * shows every entry in its own row.
 */
export function JournalList({ items, besides, open, broken, isGrouped, onOpen, more, signature, change }: Props) {
  const rows = rowsOf(items, broken === undefined ? besides : [], isGrouped && broken === undefined)
  let day = ''
  return (
    <ol className="chain" aria-label="Entries">
      {rows.map((row) => {
        const { entry } = row
        const head = dateOf(entry.at)
        const isNewDay = head !== day
        day = head
        const isCut = broken?.at === entry.seq
        const isOpen = row.entries.some(({ seq }) => seq === open)
        return (
          <li key={entry.seq} className={isCut ? 'cut-here' : ''}>
            {isNewDay && <p className="chain-day">{head}</p>}
            <Line row={row} isOpen={isOpen} isCut={isCut} onOpen={onOpen} />
            {isCut && (
              <p className="chain-cut" role="note">
                <Mark kind="bad" size={12} />
                <span>
                  Entry {grouped(entry.seq)} does not follow {grouped(entry.seq - 1)}. <Visible text={broken.reason} />{' '}
                  Everything before it is whole.
                </span>
              </p>
            )}
            {isOpen && changedIn(row).map((id) => <div key={id}>{change(id)}</div>)}
            {isOpen &&
              row.entries
                .toReversed()
                .map((one) => <Whole key={one.seq} entry={one} row={row} more={more} signature={signature} />)}
          </li>
        )
      })}
    </ol>
  )
}

/** Returns the id of the call in a row, if the call ran and may have changed something. */
function changedIn({ entries }: Row): string[] {
  const bodies = entries.map(({ kind, body }) => ({
    kind,
    ...(body as { toolUseId?: unknown; tier?: unknown } | null),
  }))
  const hasRun = bodies.some(({ kind }) => kind === 'execution' || kind === 'change')
  const id = hasRun ? bodies.find(({ toolUseId }) => typeof toolUseId === 'string')?.toolUseId : undefined
  return typeof id === 'string' ? [id] : []
}

/** Shows one entry in words, and folded as it is in the journal. For a row with several entries, shows each with its number, time and state. */
function Whole({ entry, row, more, signature }: { entry: JournalEntry; row: Row } & Pick<Props, 'more' | 'signature'>) {
  const { word, outcome } = lineOf(entry)
  return (
    <div className="io chain-open">
      <h2>
        {row.entries.length > 1 && (
          <span className="chain-part">
            <span className="num">{grouped(entry.seq)}</span> <span className="num">{exact(entry.at)}</span> {word},{' '}
            <Visible text={outcome} />
          </span>
        )}
        {more(entry)}
        <span>
          <CopyButton text={JSON.stringify(entry)} label="Copy the entry" />
        </span>
      </h2>
      {signature(entry)}
      <dl className="chain-facts">
        {factsOf(entry, useNameOf()).map(([name, value]) => (
          <div key={name} className="contents">
            <dt>{visibleText(name)}</dt>
            <dd>
              <Visible text={value} />
            </dd>
          </div>
        ))}
      </dl>
      <details>
        <summary>The exact entry</summary>
        <pre>{visibleLines(JSON.stringify(entry.body, undefined, 2))}</pre>
        <h2>Hash</h2>
        <pre>{entry.hash}</pre>
      </details>
    </div>
  )
}

const visibleLines = (text: string) => text.split('\n').map(visibleKeepingIndent).join('\n')
const visibleKeepingIndent = (line: string) => {
  const indent = /^ */.exec(line)?.[0] ?? ''
  return indent + visibleText(line.slice(indent.length))
}

const pad = (value: number) => String(value).padStart(2, '0')
const exact = (at: number) => {
  const date = new Date(at)
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`
}

/** Counts the entries of a row and names the first: `4 entries, from 18 200`. */
const entriesOf = ({ entries }: Row) =>
  `${plural(entries.length, 'entry', 'entries')}, from ${grouped(entries.at(-1)?.seq ?? 0)}`

function Line({
  row,
  isOpen,
  isCut,
  onOpen,
}: {
  row: Row
  isOpen: boolean
  isCut: boolean
} & Pick<Props, 'onOpen'>) {
  const { entry } = row
  const { tier, word, by, call, args, outcome, end } = lineOfRow(row, useNameOf())
  return (
    <button
      type="button"
      className="chain-row"
      id={`entry-${entry.seq}`}
      aria-expanded={isOpen}
      onClick={() => onOpen(isOpen ? undefined : entry.seq)}
    >
      <span className="chain-mark">
        {isCut ? (
          <Mark kind="bad" size={12} label="broken here" />
        ) : tier === undefined ? (
          <Mark kind="step" size={7} />
        ) : (
          <Tier tier={tier} size={13} />
        )}
      </span>
      <span className="num" title={row.entries.length > 1 ? entriesOf(row) : undefined}>
        {grouped(entry.seq)}
        {row.entries.length > 1 && <span className="vh">, {entriesOf(row)}</span>}
      </span>
      <span className="num text-soft">{exact(entry.at)}</span>
      <span className="text-dim">{tier === undefined ? word : tierWord[tier]}</span>
      <span className="cut text-soft">{visibleText(by)}</span>
      <span className="call cut">
        {call !== '' ? <bdi>{visibleText(call)}</bdi> : args === '' && <i>{word}</i>}
        {args !== '' && <i>{visibleText(args)}</i>}
      </span>
      <span className="chain-outcome cut">
        {end !== undefined && <Mark kind={end === 'failed' ? 'bad' : 'unknown'} size={10} />}
        <span className="cut">
          <Visible text={outcome} />
        </span>
      </span>
      <span className="chain-hash mono">
        {entry.hash.slice(0, 4)}…{entry.hash.slice(-4)}
      </span>
    </button>
  )
}
