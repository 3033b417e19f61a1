import type { RunbookText } from 'protocol'
import { useState } from 'react'
import { lineDiff } from '../../lib/line-diff.ts'
import { Mark } from '../../ui/mark.tsx'

type Props = { theirs: RunbookText; mine: string; onTheirs: () => void; onMine: () => void }

/** Another person saved meanwhile: compares both versions and lets the reader choose one. */
export function Conflict({ theirs, mine, onTheirs, onMine }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <section className="conflict" aria-label="Another version">
      <p className="strip page-problem" role="alert">
        <Mark kind="warn" size={12} />
        <span>Somebody saved another version meanwhile. That one is in force; what you typed is kept here.</span>
        <button type="button" className="button small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Compare
        </button>
        <button type="button" className="button small" onClick={onTheirs}>
          Take theirs
        </button>
        <button type="button" className="button small" onClick={onMine}>
          Save mine over it
        </button>
      </p>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
        <ol className="diff scroll" aria-label="Theirs and mine" tabIndex={0}>
          {lineDiff(theirs.text, mine).map(({ kind, text }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
            <li key={at} className={kind}>
              <span>{kind === 'same' ? ' ' : kind === 'theirs' ? '-' : '+'}</span>
              {kind === 'theirs' ? <s>{text}</s> : text}
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
