import type { FileDiff as Diff } from 'protocol'
import { memo } from 'react'
import { Visible } from './boxed.tsx'
import { CodeLine } from './code-line.tsx'
import { type DiffRow, rowsOf } from './diff-rows.ts'
import { Icon } from './icon.tsx'
import { visibleText } from './visible.ts'
import './file-diff.css'

/** Rows in one block. The browser lays out a block when it comes near the screen. */
const perBlock = 100

type Props = {
  file: Diff
  /** Content at the end of the row with the file's name. */
  aside?: React.ReactNode
  /** Content below the lines. */
  children?: React.ReactNode
}

/** One file of a change: its name, the counts of added and removed lines, and its lines. */
export const FileDiff = memo(function FileDiff({ file, aside, children }: Props) {
  return (
    <>
      <p className="file-name">
        <Icon name="journal" />
        <code>
          <Visible text={file.path} />
        </code>
        <span>{headOf(file)}</span>
        {aside}
      </p>
      <DiffLines file={file} />
      {file.note !== undefined && (
        <p className="rest">
          <Visible text={file.note} />
        </p>
      )}
      {children}
    </>
  )
})

/** The lines of one file's difference. */
export function DiffLines({ file }: { file: Diff }) {
  const all = rowsOf(file.lines)
  const last = all.at(-1)
  // The line break at the end of the file is not a line of its own.
  const rows = last?.sign === ' ' && last.text === '' ? all.slice(0, -1) : all
  if (rows.length === 0) return null
  const blocks = Array.from({ length: Math.ceil(rows.length / perBlock) }, (_, at) =>
    rows.slice(at * perBlock, (at + 1) * perBlock),
  )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keys
    // biome-ignore lint/a11y/useSemanticElements: no form
    <div className="diff-lines" role="group" tabIndex={0} aria-label={`Lines of ${visibleText(file.path)}`}>
      {blocks.map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
        <Lines key={at} rows={block} />
      ))}
    </div>
  )
}

const Lines = ({ rows }: { rows: readonly DiffRow[] }) => (
  <ol style={{ containIntrinsicBlockSize: `auto ${rows.length * 18}px` }}>
    {rows.map(({ sign, number, text }, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
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

const classOf = { '+': 'came', '-': 'went', ' ': '', '@': 'hunk' } as const
const changes = { added: 'new', changed: '', deleted: 'deleted', mode: '', named: 'stays as it is' } as const

/** `+1 −4, mode 644 → 755`. */
export const headOf = ({ change, added, removed, mode }: Omit<Diff, 'lines'>): string =>
  [changes[change], added + removed === 0 ? '' : `+${added} −${removed}`, mode === undefined ? '' : `mode ${mode}`]
    .filter((part) => part !== '')
    .join(', ')
