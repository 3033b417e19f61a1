import type { JournalEntry } from 'jarvis-backend/protocol'
import { dayOf } from '../../lib/format.ts'
import { grouped } from '../../lib/grouped.ts'
import { Visible } from '../../ui/boxed.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Tier, tierWord } from '../../ui/tier.tsx'
import { visibleText } from '../../ui/visible.ts'
import { lineOf } from './line.ts'

export type Broken = { at: number; reason: string }

type Props = {
  items: readonly JournalEntry[]
  open: number | undefined
  broken: Broken | undefined
  onOpen: (seq: number | undefined) => void
  /** Links to the session and so on, of the entry that is open. */
  more: (entry: JournalEntry) => React.ReactNode
}

/** One unbroken line of entries, newest first; a broken chain cuts it at the entry. */
export function JournalList({ items, open, broken, onOpen, more }: Props) {
  let day = ''
  return (
    <ol className="chain" aria-label="Entries">
      {items.map((entry) => {
        const head = dayOf(entry.at)
        const isNewDay = head !== day
        day = head
        const isCut = broken?.at === entry.seq
        return (
          <li key={entry.seq} className={isCut ? 'cut-here' : ''}>
            {isNewDay && <p className="chain-day">{head}</p>}
            <Line entry={entry} isOpen={open === entry.seq} isCut={isCut} onOpen={onOpen} />
            {isCut && (
              <p className="chain-cut" role="note">
                <Mark kind="bad" size={12} />
                <span>
                  Entry {grouped(entry.seq)} does not follow {grouped(entry.seq - 1)}. <Visible text={broken.reason} />{' '}
                  Everything before it is whole.
                </span>
              </p>
            )}
            {open === entry.seq && (
              <div className="io chain-open">
                <h4>
                  {more(entry)}
                  <span>
                    <CopyButton text={JSON.stringify(entry)} label="Copy the entry" />
                  </span>
                </h4>
                <pre>{visibleLines(JSON.stringify(entry.body, undefined, 2))}</pre>
                <h4>Hash</h4>
                <pre>{entry.hash}</pre>
              </div>
            )}
          </li>
        )
      })}
    </ol>
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

function Line({
  entry,
  isOpen,
  isCut,
  onOpen,
}: {
  entry: JournalEntry
  isOpen: boolean
  isCut: boolean
} & Pick<Props, 'onOpen'>) {
  const { tier, word, by, call, args, outcome, end } = lineOf(entry)
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
      <span className="num">{grouped(entry.seq)}</span>
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
