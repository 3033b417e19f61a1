import type { EntryOf, Fact } from 'protocol'
import { useState } from 'react'
import { plural, thousands, timeOfDay } from '../../lib/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { visibleText } from '../../ui/visible.ts'
import './fold-marker.css'

/** The kinds of facts, in the order in which they are shown. */
const kinds: readonly (readonly [kind: string, title: string])[] = [
  ['change', 'Changes'],
  ['order', 'You said'],
  ['said', 'You also said'],
  ['decision', 'You noted'],
  ['denied', 'Denied'],
  ['unknown', 'Unknown'],
  ['grant', 'Grants'],
  ['plan', 'Open'],
  ['skill', 'Skills'],
]

/**
 * Marks the place where older entries were folded for the model. Shows the facts that code extracted, then the model's summary. The entries stay
 * above.
 */
export function FoldMarker({ fold }: { fold: EntryOf<'compaction'> }) {
  const [isOpen, setOpen] = useState(false)
  const { what, count, at, tokensBefore, tokensAfter, facts, text } = fold
  const sizes = `${thousands(tokensBefore)} → ${thousands(tokensAfter)}`
  if (what === 'results') {
    return (
      <p className="fold-line">
        {plural(count, 'old result')} put away at {timeOfDay(at)}, {sizes}
      </p>
    )
  }
  return (
    <div className="fold">
      <button type="button" className="fold-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'right'} /> {plural(count, 'entry', 'entries')} folded at {timeOfDay(at)}, {sizes}
      </button>
      {isOpen && (
        <section className="fold-facts" aria-label="What is kept of them">
          <p>
            <b>Kept word for word</b> <small>made by JARVIS from the entries, not by the model</small>
          </p>
          <dl>
            {[...kinds, ...others(facts)].map(([kind, title]) => (
              <Kind key={kind} kind={kind} title={title} facts={facts} />
            ))}
          </dl>
          <p className="fold-words">
            <small>In the model’s words</small> {text === '' ? 'none: the facts stand alone' : visibleText(text)}
          </p>
        </section>
      )}
    </div>
  )
}

const others = (facts: readonly Fact[]) =>
  [...new Set(facts.map(({ kind }) => kind))]
    .filter((kind) => !kinds.some(([known]) => known === kind))
    .map((kind) => [kind, kind] as const)

/** Kinds that are shown even if their number is 0. */
const always = ['unknown', 'denied']

function Kind({ kind, title, facts }: { kind: string; title: string; facts: readonly Fact[] }) {
  const own = facts.filter((fact) => fact.kind === kind)
  if (own.length === 0 && !always.includes(kind)) return null
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        {own.length === 0 && 'none'}
        {own.map(({ id, of, text, at }) => (
          <span key={id ?? `${at} ${of}`}>
            {visibleText(of)} {text !== '' && <small>{visibleText(text)}</small>}
          </span>
        ))}
      </dd>
    </div>
  )
}
