import type { SkillFile, SkillTree } from 'protocol'
import { Fragment, useEffect, useRef, useState } from 'react'
import { size } from '../../lib/format.ts'
import { lineDiff } from '../../lib/line-diff.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { hidesSomething } from '../../ui/visible.ts'

type Line = { number: number | undefined; mark: '' | '+' | '-'; text: string }

/** Number of unchanged lines that are shown around a change. */
const around = 3

/** One file of a skill: the whole file or its diff to the approved file, and hints for what a reader should check in it. */
export function FileView({ skill, file, onRead }: { skill: SkillTree; file: SkillFile; onRead: () => void }) {
  const canCompare = file.change === 'changed' && file.before !== undefined && file.text !== undefined
  const [isWhole, setWhole] = useState(!canCompare)
  const lines = linesOf(file, isWhole || !canCompare)
  const hints = skill.hints.filter(({ path }) => path === file.path)
  const faults = skill.faults.filter(({ path }) => path === file.path)
  return (
    <section className="skill-file" aria-label={file.path}>
      <header>
        <b>
          <Visible text={file.path} />
        </b>{' '}
        <small>{headWords(file)}</small>
        {canCompare && (
          <span className="filters">
            <button type="button" aria-pressed={!isWhole} onClick={() => setWhole(false)}>
              Change
            </button>
            <button type="button" aria-pressed={isWhole} onClick={() => setWhole(true)}>
              Whole file
            </button>
          </span>
        )}
      </header>
      {lines.length === 0 ? (
        <p className="skill-note">
          {file.kind === 'text' ? 'No line differs.' : 'It is no text. No model is ever given it.'}
        </p>
      ) : (
        <pre className="skill-lines">
          {lines.map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
            <span key={at} className={line.mark === '+' ? 'added' : line.mark === '-' ? 'removed' : ''}>
              <i>{line.number ?? ''}</i>
              <i>{line.mark}</i>
              <code>
                <Shown text={line.text} />
              </code>
              {'\n'}
            </span>
          ))}
        </pre>
      )}
      {[...faults, ...hints].map(({ line, message }) => (
        <p className="strip" key={`${line} ${message}`}>
          <Mark kind="warn" size={12} />
          <span>
            <Visible text={message} />
          </span>
        </p>
      ))}
      <End key={`${file.path} ${file.hash} ${isWhole}`} onSeen={onRead} />
    </section>
  )
}

/** A line with its spaces and tabs. Invisible characters are shown as codes. */
function Shown({ text }: { text: string }) {
  if (!hidesSomething(text.replace(/[ \t]+/g, '-'))) return text
  return text.split(/([ \t]+)/).map((piece, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place
    <Fragment key={at}>{/^[ \t]/.test(piece) ? piece : <Visible text={piece} />}</Fragment>
  ))
}

/** Reports once that the end of a file is on the screen. */
function End({ onSeen }: { onSeen: () => void }) {
  const mark = useRef<HTMLDivElement>(null)
  const tell = useRef(onSeen)
  tell.current = onSeen
  useEffect(() => {
    if (mark.current === null) return
    const observer = new IntersectionObserver(([seen]) => {
      if (seen?.isIntersecting !== true) return
      observer.disconnect()
      tell.current()
    })
    observer.observe(mark.current)
    return () => observer.disconnect()
  }, [])
  return <div ref={mark} className="skill-end" />
}

function headWords({ change, bytes, kind }: SkillFile): string {
  const what = { same: 'same as approved', changed: 'against the approved tree', new: 'new', gone: 'is gone' }[change]
  return `${what}, ${size(bytes)}${kind === 'text' ? '' : `, ${kind}`}`
}

function linesOf({ change, text, before }: SkillFile, isWhole: boolean): Line[] {
  if (change === 'gone')
    return (before ?? '').split('\n').map((line, at) => ({ number: at + 1, mark: '-', text: line }))
  if (text === undefined) return []
  if (isWhole) {
    const mark = change === 'new' ? '+' : ''
    return text.split('\n').map((line, at) => ({ number: at + 1, mark, text: line }))
  }
  let number = 0
  const all = lineDiff(before ?? '', text).map((line): Line => {
    if (line.kind === 'theirs') return { number: undefined, mark: '-', text: line.text }
    number += 1
    return { number, mark: line.kind === 'mine' ? '+' : '', text: line.text }
  })
  return all.filter((_, at) => all.slice(Math.max(0, at - around), at + around + 1).some(({ mark }) => mark !== ''))
}
