import type { Card, FileDiff as Diff } from 'protocol'
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { call } from '../../api/http.ts'
import { plural } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { FileDiff } from '../../ui/file-diff.tsx'
import { Icon } from '../../ui/icon.tsx'
import { shownOf, stepped, unseenLines } from './file-steps.ts'
import './file-diffs.css'

/** Not `useMedia`: the build would then cut the first page into more files, which compress worse. */
const phone = matchMedia('(max-width: 767px)')
function onWidth(listener: () => void) {
  phone.addEventListener('change', listener)
  return () => phone.removeEventListener('change', listener)
}

/** Number of further lines for each press of the button. */
const perPress = 200

/**
 * The files that a call changes: 200 lines at first, all lines on request. The keys `N` and `P` move between files. On a phone only one file is
 * shown at a time. @param onUnseen called with the number of relevant lines that were not shown yet
 */
export function FileDiffs({ card, onUnseen }: { card: Card; onUnseen: (lines: number) => void }) {
  const given = card.diff ?? []
  const [whole, setWhole] = useState<readonly Diff[]>()
  const [more, setMore] = useState<Readonly<Record<number, number>>>({})
  const [problem, setProblem] = useState<string>()
  const [at, setAt] = useState(0)
  const [seen, setSeen] = useState<ReadonlySet<number>>(new Set([0]))
  const list = useRef<HTMLUListElement>(null)
  const isPhone = useSyncExternalStore(onWidth, () => phone.matches) && given.length > 1
  const files = given.map((file, index) => shownOf(file, whole?.[index], more[index] ?? 0))
  // True if the server has no more lines of the file. The card gives the reason then.
  const isEnd = (index: number) => files[index]?.lines.length === whole?.[index]?.lines.length
  const open = files.map((file, index) => (isEnd(index) ? { ...file, left: 0 } : file))
  const unseen = problem === undefined ? unseenLines(open, isPhone ? seen : undefined) : 0
  useLayoutEffect(() => onUnseen(unseen), [unseen, onUnseen])

  const show = (index: number, lines: number) => {
    setMore((now) => ({ ...now, [index]: (now[index] ?? 0) + lines }))
    if (whole === undefined)
      call('GET /api/workbench/diff/:toolUseId', { params: { toolUseId: card.toolUseId } }).then(
        ({ items }) => {
          setWhole(items)
          setProblem(undefined)
        },
        (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
      )
  }
  const step = useRef<(by: 1 | -1) => void>(undefined)
  step.current = (by) => {
    const next = stepped(at, by, files.length)
    setAt(next)
    setSeen((now) => new Set([...now, next]))
    if (!isPhone) list.current?.children[next]?.scrollIntoView({ block: 'nearest' })
  }
  useEffect(() => {
    const root = list.current?.closest<HTMLElement>('.card')
    const listen = (event: KeyboardEvent) => {
      const isField = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)
      const key = event.key.toLowerCase()
      if (isField || event.ctrlKey || event.metaKey || event.altKey || (key !== 'n' && key !== 'p')) return
      event.preventDefault()
      step.current?.(key === 'n' ? 1 : -1)
    }
    root?.addEventListener('keydown', listen)
    return () => root?.removeEventListener('keydown', listen)
  }, [])

  return (
    <>
      {files.length > 1 && (
        <div className="file-steps">
          <span className="num" role="status">
            {isPhone ? `File ${at + 1} of ${files.length}` : plural(files.length, 'file')}
          </span>
          <button
            type="button"
            className="icon-button"
            aria-label="Previous file"
            aria-keyshortcuts="P"
            aria-disabled={at === 0}
            onClick={() => step.current?.(-1)}
          >
            <Icon name="right" className="turned" />
          </button>
          <button
            type="button"
            className="icon-button"
            aria-label="Next file"
            aria-keyshortcuts="N"
            aria-disabled={at === files.length - 1}
            onClick={() => step.current?.(1)}
          >
            <Icon name="right" />
          </button>
          {!isPhone && (
            <span className="keys">
              <kbd>N</kbd> <kbd>P</kbd>
            </span>
          )}
        </div>
      )}
      <ul
        className="file-diffs"
        ref={list}
        aria-label={given.every(({ change }) => change === 'named') ? 'Files that are named' : 'Files that change'}
      >
        {files.map((file, index) => (
          <li key={file.path} hidden={isPhone && index !== at} aria-current={files.length > 1 && index === at}>
            <FileDiff file={file}>
              {file.left > 0 && (
                <p className="rest">
                  {isEnd(index) ? (
                    `${file.left} more lines are too many to show.`
                  ) : (
                    <button type="button" onClick={() => show(index, perPress)}>
                      Show {Math.min(perPress, file.left)} more {file.left === 1 ? 'line' : 'lines'}
                    </button>
                  )}
                  {file.left > perPress && !isEnd(index) && (
                    <button type="button" onClick={() => show(index, file.left)}>
                      Show all {file.left}
                    </button>
                  )}
                  {problem !== undefined && <Visible text={problem} />}
                </p>
              )}
            </FileDiff>
          </li>
        ))}
      </ul>
    </>
  )
}
