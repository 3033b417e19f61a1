import { useEffect, useState } from 'react'
import { highlight, highlighted } from './highlight.ts'
import { grammarOf } from './languages.ts'

/** Highlighted code. It is plain until the highlighting is done and for unknown languages. */
export function Highlighted({ text, fence }: { text: string; fence: string }) {
  const grammar = grammarOf(fence)
  return grammar === undefined ? text : <Read key={text} text={text} grammar={grammar} />
}

function Read({ text, grammar }: { text: string; grammar: string }) {
  const [pieces, setPieces] = useState(() => highlighted(text, grammar))
  useEffect(() => {
    if (highlighted(text, grammar) !== undefined) return
    let isHere = true
    void highlight(text, grammar).then((found) => {
      if (isHere) setPieces(found)
    })
    return () => {
      isHere = false
    }
  }, [text, grammar])
  return (
    pieces?.map(([part, kind], at) =>
      kind === undefined ? (
        part
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place
        <span key={at} className={`code-${kind}`}>
          {part}
        </span>
      ),
    ) ?? text
  )
}
