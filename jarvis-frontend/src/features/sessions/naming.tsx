import { useState } from 'react'
import { useEscape } from '../../lib/use-escape.ts'

/** A field that renames a session. Esc keeps the name. */
export function Naming({
  className,
  title,
  onName,
  onEnd,
}: {
  className: string
  title: string
  onName: (name: string) => void
  onEnd: () => void
}) {
  const [name, setName] = useState(title)
  useEscape(onEnd)
  return (
    <form
      className={className}
      onSubmit={(event) => {
        event.preventDefault()
        if (/\S/.test(name)) onName(name.trim())
      }}
    >
      <input
        // biome-ignore lint/a11y/noAutofocus: the person asked to type here
        autoFocus
        className="field"
        aria-label="Session name"
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
        onFocus={(event) => event.target.select()}
      />
      <button type="submit" className="button small">
        Rename
      </button>
    </form>
  )
}
