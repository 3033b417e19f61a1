import { useEffect, useState } from 'react'
import { Icon } from '../ui/icon.tsx'

/** Pause in typing that starts a search, ms, so that not every letter sends a request. */
const settleMs = 150

/** A field that searches while a person types. @param query the query that the page shows; `onSearch` gets it trimmed. */
export function SearchField({
  className,
  label,
  placeholder,
  maxLength,
  query,
  onSearch,
}: {
  className: string
  label: string
  placeholder: string
  maxLength: number
  query: string
  onSearch: (text: string) => void
}) {
  const [text, setText] = useState(query)
  const [known, setKnown] = useState(query)
  // The URL changed for another reason than typing in this field.
  if (query !== known) {
    setKnown(query)
    if (query !== text.trim()) setText(query)
  }
  useEffect(() => {
    if (text.trim() === query.trim()) return
    const timer = setTimeout(() => onSearch(text.trim()), settleMs)
    return () => clearTimeout(timer)
  })
  return (
    // biome-ignore lint/a11y/useSemanticElements: the search element is not known to all browsers
    <form role="search" className={className} onSubmit={(event) => event.preventDefault()}>
      <Icon name="search" />
      <input
        className="field"
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        maxLength={maxLength}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </form>
  )
}
