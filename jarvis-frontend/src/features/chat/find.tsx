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

/** One hit: the run that has it, and its number among the hits of that run, from 0. */
type Hit = { runId: string; at: number }

/** Searches a session. The browser's own search would miss the parts that are not loaded, not drawn or folded. */
export function Find({ runs, live, onMore, onShow, onClose }: Props) {
  useEscape(onClose)
  const field = useRef<HTMLInputElement>(null)
  const [words, setWords] = useState('')
  /** The hit that is shown; undefined: the first. With the id of its run, because earlier runs may still be loaded. */
  const [shown, setShown] = useState<Hit>()
  const texts = useRef(new WeakMap<Run, string>())
  const wanted = words.trim() === '' ? '' : words.toLowerCase()
  const hits = useMemo(() => {
    if (wanted === '') return []
    const now = live()
    return runs.flatMap((run): Hit[] => {
      const text = texts.current.get(run) ?? textOf(run).toLowerCase()
      texts.current.set(run, text)
      const partial = now?.runId === run.runId ? now.partial.text.toLowerCase() : ''
      return Array.from({ length: countIn(`${text}\n${partial}`, wanted) }, (_, at) => ({ runId: run.runId, at }))
    })
  }, [runs, wanted, live])
  const at = Math.max(
    0,
    hits.findIndex((hit) => hit.runId === shown?.runId && hit.at === shown.at),
  )
  const runId = hits[at]?.runId
  const place = hits[at]?.at ?? 0
  useEffect(() => {
    if (runId !== undefined) setShown({ runId, at: place })
  }, [runId, place])
  const isReading = wanted !== '' && onMore !== undefined
  // Each page adds runs, which start the effect again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useEffect(() => {
    if (isReading) void onMore()
  }, [isReading, runs])
  useEffect(() => {
    field.current?.focus()
    return unmark
  }, [])
  useMarks({ runs, hit: hits[at], wanted, onShow })
  const go = (step: number) => {
    if (hits.length > 0) setShown(hits[(at + step + hits.length) % hits.length])
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
        {wanted === ''
          ? ''
          : hits.length > 0
            ? `${at + 1} of ${hits.length}${isReading ? '…' : ''}`
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

type Marked = Pick<Props, 'runs' | 'onShow'> & { hit: Hit | undefined; wanted: string }

/** Scrolls to the hit, opens the folded rows that hide it, and marks all hits, also when the row is drawn anew. */
function useMarks({ runs, hit, wanted, onShow }: Marked) {
  const runId = hit?.runId
  const place = hit?.at ?? 0
  const show = useRef(onShow)
  show.current = onShow
  const folded = useRef<readonly string[]>([])
  folded.current = toolsWith(
    runs.find((run) => run.runId === runId),
    wanted,
  )
  useEffect(() => {
    if (runId === undefined) return unmark()
    let watcher: MutationObserver | undefined
    let isHere = true
    // `onShow` uses `flushSync`, which React does not allow inside an effect.
    queueMicrotask(() => {
      const row = isHere ? show.current(runId) : null
      if (row === null) return
      wake(row, wanted)
      if (wanted.length >= leastLetters && rangesOf(row, wanted).length <= place) unfold(row, folded.current)
      let tries = 3
      const mark = () => {
        const own = rangesOf(row, wanted)
        const here = own[Math.min(place, own.length - 1)]
        draw(rangesOf(row.parentElement ?? row, wanted), here)
        if (tries > 0) (here?.startContainer.parentElement ?? row).scrollIntoView({ block: 'center' })
        // An unfolded row is drawn a little later.
        tries = own.length > place ? 0 : tries - 1
      }
      mark()
      watcher = new MutationObserver(() => requestAnimationFrame(() => isHere && mark()))
      watcher.observe(row.parentElement ?? row, { childList: true, subtree: true, characterData: true })
    })
    return () => {
      isHere = false
      watcher?.disconnect()
    }
  }, [runId, place, wanted])
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

/** Counts the places of the words in Markdown, as it is written or as it is drawn, whichever has more. */
const countIn = (text: string, words: string): number =>
  Math.max(placesIn(text, words), placesIn(text.replace(/\*\*|~~|`/g, ''), words))

function placesIn(text: string, words: string): number {
  let count = 0
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) count += 1
  return count
}

/** The tools of a run whose arguments or results have the words: their rows may be folded. */
const toolsWith = (run: Run | undefined, words: string): string[] =>
  (run?.items ?? []).flatMap((item) => {
    if (item.kind !== 'call' || words === '') return []
    const { toolName, toolInput, result } = item.call
    return `${argumentLine(toolInput)}\n${result?.result ?? ''}`.toLowerCase().includes(words) ? [toolName] : []
  })

/** Fewer letters open no folded row: they are in most of them. */
const leastLetters = 3

/** Opens the folded rows of these tools. */
function unfold(row: HTMLElement, tools: readonly string[]): void {
  for (const button of row.querySelectorAll<HTMLElement>('.row[aria-expanded="false"]'))
    if (tools.includes(button.querySelector('.call bdi')?.textContent ?? '')) button.click()
}

const unmark = (): void => {
  CSS.highlights?.delete('found')
  CSS.highlights?.delete('found-here')
}

/** Marks all hits that are drawn, and the one that is shown. */
function draw(all: readonly Range[], here: Range | undefined): void {
  if (typeof Highlight === 'undefined') return
  CSS.highlights.set('found', new Highlight(...all))
  const one = new Highlight(...(here === undefined ? [] : [here]))
  one.priority = 1
  CSS.highlights.set('found-here', one)
}

/** More hits than this on the drawn page are not marked. */
const mostMarked = 2_000
const blocks = 'p, li, pre, td, th, h1, h2, h3, h4, h5, h6, blockquote, button, article, dt, dd, div'

/** Returns the ranges of the words in the drawn text, also of words that extend over several elements of one block. */
function rangesOf(within: HTMLElement, words: string): Range[] {
  const parts: { node: Text; at: number }[] = []
  let text = ''
  let block: Element | null | undefined
  const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const own = node.parentElement?.closest(blocks)
    if (own !== block) text += '\n'
    block = own
    parts.push({ node: node as Text, at: text.length })
    const data = (node as Text).data
    const lower = data.toLowerCase()
    // A few letters are longer in lower case, which would shift all that follow.
    text += lower.length === data.length ? lower : data
  }
  const ranges: Range[] = []
  let part = 0
  const placeOf = (at: number) => {
    while ((parts[part + 1]?.at ?? Number.POSITIVE_INFINITY) <= at) part += 1
    const { node, at: from } = parts[part] as { node: Text; at: number }
    return [node, Math.min(at - from, node.data.length)] as const
  }
  for (
    let at = text.indexOf(words);
    at >= 0 && ranges.length < mostMarked;
    at = text.indexOf(words, at + words.length)
  ) {
    const range = document.createRange()
    range.setStart(...placeOf(at))
    const [node, offset] = placeOf(at + words.length - 1)
    range.setEnd(node, offset + 1)
    ranges.push(range)
  }
  return ranges
}
