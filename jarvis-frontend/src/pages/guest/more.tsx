import { useEffect, useRef, useState } from 'react'

const pageSize = 60

/** The button under a list that shows the next rows. `isByItself`: the button is pressed automatically when the end of the list is reached. */
export function More({
  words,
  isByItself = false,
  onMore,
}: {
  words: string
  isByItself?: boolean
  onMore: () => void
}) {
  const button = useRef<HTMLButtonElement>(null)
  const onEnd = useRef(onMore)
  onEnd.current = onMore
  useEffect(() => {
    if (!isByItself || button.current === null) return
    const watcher = new IntersectionObserver((seen) => {
      if (seen.some(({ isIntersecting }) => isIntersecting)) onEnd.current()
    })
    watcher.observe(button.current)
    return () => watcher.disconnect()
  }, [isByItself])
  return (
    <button ref={button} type="button" className="button small quiet" onClick={onMore}>
      {words}
    </button>
  )
}

/** Returns the first rows of a long list, and a button for the next 60. @param first number of rows that are shown at first */
export function useBounded<T>(items: readonly T[], first = pageSize) {
  const [extra, setExtra] = useState(0)
  const shown = items.slice(0, first + extra)
  const rest = items.length - shown.length
  const more = rest > 0 && (
    <More
      // A new key, so that the new end of the list is observed.
      key={shown.length}
      words={`${Math.min(rest, pageSize)} more${rest > pageSize ? ` of ${rest}` : ''}`}
      isByItself={first >= pageSize}
      onMore={() => setExtra(extra + pageSize)}
    />
  )
  return [shown, more] as const
}
