import { useState } from 'react'
import { Plain } from './plain.tsx'
import type { Call } from './runs.ts'

const shownLines = 20

/** A call's exact input and output, as plain text. */
export function InputOutput({ call }: { call: Call }) {
  const [isWhole, setWhole] = useState(false)
  const output = call.result?.result ?? ''
  const lines = output.split('\n')
  const shown = isWhole ? output : lines.slice(0, shownLines).join('\n')
  return (
    <>
      <h3>Input</h3>
      <pre>
        <Plain text={spaced(call.toolInput)} />
      </pre>
      <h3>
        Output <span>{call.result === undefined ? 'none yet' : lines.length > 1 ? `${lines.length} lines` : ''}</span>
      </h3>
      {output !== '' && (
        <pre>
          <Plain text={shown} />
        </pre>
      )}
      {lines.length > shownLines && (
        <h3 className="more">
          <button type="button" onClick={() => setWhole(!isWhole)}>
            {isWhole ? `Show ${shownLines} lines` : `Show all ${lines.length} lines`}
          </button>
          <span>someone else’s text: never styled, never linked</span>
        </h3>
      )}
    </>
  )
}

/** Writes JSON on one line with spaces between its parts. Line breaks inside strings are already escaped. */
const spaced = (input: Record<string, unknown>) =>
  JSON.stringify(input, undefined, 1).replace(/\n\s*/g, ' ').replace(/^\{ /, '{').replace(/ \}$/, '}')
