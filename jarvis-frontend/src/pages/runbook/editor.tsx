import type { Fault, Runbook } from 'protocol'
import { useEffect, useRef } from 'react'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Tier, tierWord } from '../../ui/tier.tsx'
import { piecesOf, replaced, wrongWord } from './highlight.ts'

type Props = {
  text: string
  /** The runbook with the faults of the last check of its text. */
  runbook: Runbook | undefined
  isReadOnly: boolean
  onChange: (text: string) => void
  /** The line to which the cursor goes, from 1. A new object moves the cursor again. */
  goTo: { line: number } | undefined
}

/**
 * A text editor with line numbers, the tier of each step's tool in the margin, and each fault under its line. The text field lies over the drawn
 * text in the same size, and its own letters are transparent. Lines do not wrap.
 */
export function Editor({ text, runbook, isReadOnly, onChange, goTo }: Props) {
  const field = useRef<HTMLTextAreaElement>(null)
  const faults = runbook?.faults ?? []
  const lines = text.split('\n')
  useEffect(() => {
    const element = field.current
    if (goTo === undefined || element === null) return
    const start =
      element.value
        .split('\n')
        .slice(0, goTo.line - 1)
        .join('\n').length + (goTo.line > 1 ? 1 : 0)
    element.focus()
    element.setSelectionRange(start, start)
    document.querySelector(`[data-line="${goTo.line}"]`)?.scrollIntoView({ block: 'center' })
  }, [goTo])
  const tierAt = new Map(runbook?.steps.map(({ line, tier }) => [line, tier]))
  const byLine = new Map<number, Fault[]>()
  for (const fault of faults) {
    // A fault at the end of the text may name the line after the last one.
    const line = Math.min(fault.line, lines.length)
    byLine.set(line, [...(byLine.get(line) ?? []), fault])
  }
  const longest = Math.max(...lines.map((line) => line.length))
  return (
    <div className="runbook-editor scroll">
      <div className="editor-sheet" style={{ minWidth: `calc(${longest + 4}ch + 58px)` }}>
        <div className="editor-lines" aria-hidden="true">
          {lines.map((line, at) => {
            const number = at + 1
            const tier = tierAt.get(number)
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
              <div key={at} data-line={number} className={byLine.has(number) ? 'line wash-bad' : 'line'}>
                <span className="number num">{number}</span>
                <span className="margin">{tier != null && <Tier tier={tier} size={10} />}</span>
                <span className="text">
                  {piecesOf(line).map((piece, place) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place
                    <span key={place} className={`drawn-${piece.kind}`}>
                      {piece.text}
                    </span>
                  ))}
                  {line === '' && '​'}
                </span>
              </div>
            )
          })}
        </div>
        <textarea
          ref={field}
          className="editor-field"
          aria-label="Runbook"
          aria-invalid={faults.length > 0}
          aria-describedby="faults"
          value={text}
          rows={lines.length}
          readOnly={isReadOnly}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          wrap="off"
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      </div>
      <ol id="faults" className="faults" aria-label="Faults">
        {faults.map((fault) => (
          <FaultLine
            key={`${fault.line} ${fault.message}`}
            fault={fault}
            line={lines[fault.line - 1] ?? ''}
            onFix={
              isReadOnly
                ? undefined
                : (wrong, by) => onChange(replaced(text, { line: fault.line, column: fault.column, wrong, by }))
            }
          />
        ))}
      </ol>
      <p className="vh">
        {runbook?.steps.map(
          ({ number, title, tier }) => `Step ${number}, ${title}: ${tier === null ? 'no such tool' : tierWord[tier]}. `,
        )}
      </p>
    </div>
  )
}

type FixProps = { fault: Fault; line: string; onFix: ((wrong: string, by: string) => void) | undefined }

function FaultLine({ fault, line, onFix }: FixProps) {
  const { nearest } = fault
  // A separate button offers the suggested name, so remove it from the message.
  const said = nearest === undefined ? fault.message : fault.message.replace(/(?<!\s)\s*Did you mean [^?]{0,90}\?$/, '')
  const wrong = nearest === undefined ? '' : wrongWord(line, nearest)
  return (
    <li>
      <Mark kind="bad" size={11} />
      <span>
        <b className="num">Line {fault.line}</b> <Visible text={said} />
        {nearest !== undefined && (
          <>
            {' '}
            Did you mean{' '}
            {onFix !== undefined && wrong !== '' ? (
              <button type="button" className="text-link" onClick={() => onFix(wrong, nearest)}>
                {nearest}
              </button>
            ) : (
              nearest
            )}
            ?
          </>
        )}
      </span>
    </li>
  )
}
