import { useEffect, useMemo, useRef, useState } from 'react'
import { useEscape } from '../../lib/use-escape.ts'
import { Icon } from '../../ui/icon.tsx'
import { wake } from './parking.ts'
import { argumentLine, type Run } from './runs.ts'
import type { SessionView } from './state.ts'

type Props = {
  runs: readonly Run[]
  /** Returns the run in progress and its streaming text, which is not in an entry yet. */
  live: () => Pick<SessionView, 'runId' | 'partial'> | undefined
  /** Reads more of the session; undefined if the whole session is loaded. */
  onMore: (() => Promise<void>) | undefined
  /** Scrolls a run into view. @returns its element */
  onShow: (runId: string) => HTMLElement | null
  onClose: () => void
}

/** Searches a session. The browser's own search would miss the parts that are not loaded or not drawn. */
export function Find({ runs, live, onMore, onShow, onClose }: Props) {
  useEscape(onClose)
  const field = useRef<HTMLInputElement>(null)
  const [words, setWords] = useState('')
  /** Id of the run that is shown as the hit; undefined: the first hit. An id, because earlier runs may still be loaded. */
  const [shown, setShown] = useState<string>()
  const texts = useRef(new WeakMap<Run, string>())
  const found = useMemo(() => {
    const wanted = words.toLowerCase()
    const now = live()
    const holds = (run: Run) => {
      const text = texts.current.get(run) ?? textOf(run).toLowerCase()
      texts.current.set(run, text)
      return text.includes(wanted) || (now?.runId === run.runId && now.partial.text.toLowerCase().includes(wanted))
    }
    return wanted.trim() === '' ? [] : runs.filter(holds).map((run) => run.runId)
  }, [runs, words, live])
  const at = Math.max(0, shown === undefined ? 0 : found.indexOf(shown))
  const runId = found[at]
  useEffect(() => {
    if (runId !== undefined) setShown(runId)
  }, [runId])
  const isReading = words.trim() !== '' && onMore !== undefined
  // Each page adds runs, which start the effect again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useEffect(() => {
    if (isReading) void onMore()
  }, [isReading, runs])
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
    // `onShow` uses `flushSync`, which React does not allow inside an effect.
    queueMicrotask(() => {
      const row = isHere ? show.current(runId) : null
      if (row === null) return
      wake(row, words.toLowerCase())
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
    if (found.length > 0) setShown(found[(at + step + found.length) % found.length])
  }
  return (
    <search
      className="find"
      onKeyDown={(event) => {
        if (event.key === 'Enter') {
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
          setShown(undefined)
        }}
      />
      <span className="num" role="status">
        {words.trim() === ''
          ? ''
          : found.length > 0
            ? `${at + 1} of ${found.length}${isReading ? '…' : ''}`
            : isReading
              ? 'reading'
              : 'none'}
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

/** The visible text of a run. */
function textOf({ user, items }: Run): string {
  const parts = items.map((item) => {
    if (item.kind === 'text' || item.kind === 'thinking') return item.text
    if (item.kind !== 'call') return ''
    const { toolName, toolInput, result } = item.call
    return [toolName, argumentLine(toolInput), result?.summary, result?.result].join('\n')
  })
  return [user?.text, ...parts].join('\n')
}

/** Returns the ranges of the words in the drawn text. Words that extend over several elements are not marked. */
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
