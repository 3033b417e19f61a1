import { useEffect, useMemo, useRef, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { argumentLine, type Run } from './runs.ts'

type Props = {
  runs: readonly Run[]
  /** Brings a run on screen. @returns its element */
  onShow: (runId: string) => HTMLElement | null
  onClose: () => void
}

/** Finds words in a session that is drawn in part, where the browser's own search would see that part alone. */
export function Find({ runs, onShow, onClose }: Props) {
  const field = useRef<HTMLInputElement>(null)
  const [words, setWords] = useState('')
  const [at, setAt] = useState(0)
  const texts = useMemo(() => runs.map((run) => textOf(run).toLowerCase()), [runs])
  const found = useMemo(() => {
    const wanted = words.toLowerCase()
    return wanted.trim() === '' ? [] : runs.filter((_, place) => texts[place]?.includes(wanted)).map((run) => run.runId)
  }, [runs, texts, words])
  const runId = found[Math.min(at, found.length - 1)]
  const show = useRef(onShow)
  show.current = onShow
  useEffect(() => {
    field.current?.focus()
    return () => void CSS.highlights?.delete('found')
  }, [])
  useEffect(() => {
    if (runId === undefined) {
      CSS.highlights?.delete('found')
      return
    }
    let isHere = true
    // Rows are drawn at once, which an effect cannot ask for.
    queueMicrotask(() => {
      const row = isHere ? show.current(runId) : null
      if (row === null) return
      const ranges = rangesOf(row, words.toLowerCase())
      const place = ranges[0]?.startContainer.parentElement ?? row
      place.scrollIntoView({ block: 'center' })
      if (typeof Highlight !== 'undefined') CSS.highlights.set('found', new Highlight(...ranges))
    })
    return () => {
      isHere = false
    }
  }, [runId, words])
  const go = (step: number) => {
    if (found.length > 0) setAt((at + step + found.length) % found.length)
  }
  return (
    <search
      className="find"
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation()
          event.nativeEvent.stopImmediatePropagation()
          onClose()
        } else if (event.key === 'Enter') {
          event.preventDefault()
          go(event.shiftKey ? -1 : 1)
        }
      }}
    >
      <input
        ref={field}
        type="search"
        className="field"
        aria-label="Find in this session"
        value={words}
        onChange={(event) => {
          setWords(event.target.value)
          setAt(0)
        }}
      />
      <span className="num" role="status">
        {words.trim() === ''
          ? ''
          : found.length === 0
            ? 'none'
            : `${Math.min(at, found.length - 1) + 1} of ${found.length}`}
      </span>
      <button type="button" className="icon-button turned" aria-label="The one before" onClick={() => go(-1)}>
        <Icon name="down" />
      </button>
      <button type="button" className="icon-button" aria-label="The next" onClick={() => go(1)}>
        <Icon name="down" />
      </button>
      <button type="button" className="icon-button" aria-label="Close the search" onClick={onClose}>
        <Icon name="close" />
      </button>
    </search>
  )
}

/** What a person reads of a run. */
function textOf({ user, items }: Run): string {
  const parts = items.map((item) => {
    if (item.kind === 'text' || item.kind === 'thinking') return item.text
    if (item.kind !== 'call') return ''
    const { toolName, toolInput, result } = item.call
    return [toolName, argumentLine(toolInput), result?.summary, result?.result].join('\n')
  })
  return [user?.text, ...parts].join('\n')
}

/** Where the words stand in what is drawn; what runs over several elements is not marked. */
function rangesOf(row: HTMLElement, words: string): Range[] {
  const ranges: Range[] = []
  const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const text = node.textContent?.toLowerCase() ?? ''
    for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
      const range = document.createRange()
      range.setStart(node, at)
      range.setEnd(node, at + words.length)
      ranges.push(range)
    }
  }
  return ranges
}
