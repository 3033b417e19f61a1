import { useEffect, useState } from 'react'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { type Drawing, draw } from './draw.ts'

/** The newest finished drawings. A block that returns on screen shows its drawing from here at once. */
const known = new Map<string, Drawing>()
const kept = 50

/** A Mermaid block drawn as a picture. A button shows its text. */
export function Diagram({ text, children }: { text: string; children: React.ReactNode }) {
  const [drawing, setDrawing] = useState(() => known.get(text))
  const [isBroken, setBroken] = useState(false)
  const [isText, setText] = useState(false)
  useEffect(() => {
    if (known.has(text)) return
    let isHere = true
    draw(text).then(
      (done) => {
        known.set(text, done)
        const [oldest] = known.keys()
        if (known.size > kept && oldest !== undefined) known.delete(oldest)
        if (isHere) setDrawing(done)
      },
      () => isHere && setBroken(true),
    )
    return () => {
      isHere = false
    }
  }, [text])
  if (drawing === undefined || isBroken) {
    return (
      <>
        {children}
        {isBroken && <p className="note">This diagram cannot be drawn. Here is its text.</p>}
      </>
    )
  }
  return (
    <div className="codeblock diagram">
      <div>
        <span>diagram</span>
        <span className="flex-1" />
        <button type="button" className="button small quiet" aria-pressed={isText} onClick={() => setText(!isText)}>
          Show its text
        </button>
        <CopyButton text={text} label="Copy" />
      </div>
      {isText ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, by keyboard too
        <pre tabIndex={0}>
          <code>{text}</code>
        </pre>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide diagram scrolls, by keyboard too
        <section className="drawing" tabIndex={0} aria-label="Diagram">
          <img src={drawing.src} width={drawing.width} height={drawing.height} alt="Diagram; its text can be shown" />
        </section>
      )}
    </div>
  )
}
