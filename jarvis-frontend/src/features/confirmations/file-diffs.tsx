import type { Card, FileDiff } from 'jarvis-backend/protocol'
import { useState } from 'react'
import { readDiff } from '../../api/workbench.ts'
import { Visible } from '../../ui/boxed.tsx'
import { CodeLine } from '../../ui/code-line.tsx'
import { Icon } from '../../ui/icon.tsx'
import { rowsOf } from './diff-rows.ts'
import './file-diffs.css'

/** The files that a call changes: 200 lines at once, every line on request. */
export function FileDiffs({ card }: { card: Card }) {
  const [whole, setWhole] = useState<readonly FileDiff[]>()
  const [problem, setProblem] = useState<string>()
  const files = whole ?? card.diff ?? []
  const show = () =>
    readDiff(card.toolUseId).then(
      ({ items }) => setWhole(items),
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    )
  return (
    <ul className="file-diffs" aria-label="Files that change">
      {files.map((file) => (
        <li key={file.path}>
          <p className="file-name">
            <Icon name="journal" />
            <code>
              <Visible text={file.path} />
            </code>
            <span>{headOf(file)}</span>
          </p>
          <DiffLines file={file} />
          {file.note !== undefined && (
            <p className="rest">
              <Visible text={file.note} />
            </p>
          )}
          {file.left > 0 && (
            <p className="rest">
              <button type="button" className="link" onClick={() => void show()}>
                Show {file.left} more {file.left === 1 ? 'line' : 'lines'}
              </button>
              {problem !== undefined && <Visible text={` ${problem}`} />}
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}

/** The lines of one file's difference, which a page shows beside a form too. */
export function DiffLines({ file }: { file: FileDiff }) {
  if (file.lines.length === 0) return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keys
    <ol className="diff-lines" tabIndex={0} aria-label={`Lines of ${file.path}`}>
      {rowsOf(file.lines).map(({ sign, number, text }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
        <li key={at} className={classOf[sign]}>
          <span>{number ?? ''}</span>
          <span>{sign === '@' ? '' : sign}</span>
          <span>
            {sign === '-' && <span className="vh">goes: </span>}
            {sign === '+' && <span className="vh">comes: </span>}
            <CodeLine text={text} />
          </span>
        </li>
      ))}
    </ol>
  )
}

const classOf = { '+': 'came', '-': 'went', ' ': '', '@': 'hunk' } as const
const changes = { added: 'new', changed: '', deleted: 'deleted', mode: '' } as const

/** `+1 −4, mode 644 → 755`. */
const headOf = ({ change, added, removed, mode }: FileDiff): string =>
  [changes[change], `+${added} −${removed}`, mode === undefined ? '' : `mode ${mode}`]
    .filter((part) => part !== '')
    .join(', ')
