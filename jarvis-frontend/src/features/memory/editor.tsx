import type { WorkspaceText } from 'protocol'
import { ApiError } from 'protocol/client'
import { useEffect, useRef, useState } from 'react'
import { deleteFile, readFile, writeFile } from '../../api/memory.ts'
import { exactTime } from '../../lib/format.ts'
import { keep } from '../../lib/keep.ts'
import { Mark } from '../../ui/mark.tsx'

type Props = {
  /** Undefined: the file does not exist yet. */
  file: WorkspaceText | undefined
  path: string
  /** The store of the file: `key` of its draft, and how to read, write and remove it. Default: the files of the memory. */
  of?: { key: string; read: typeof readFile; write: typeof writeFile; remove: (path: string) => Promise<unknown> }
  line: number | undefined
  /** Why the file cannot be changed; undefined if it can. */
  rest: React.ReactNode | undefined
  preview: (text: string) => React.ReactNode
  onSaved: (file: WorkspaceText) => void
  onDeleted: () => void
}

const draftKey = (path: string) => `draft.file.${path}`
const inMemory = (path: string) => ({ key: path, read: readFile, write: writeFile, remove: deleteFile })
/** Longest draft that is stored, characters, because a browser stores about 5 MB in all. */
const longestDraft = 200_000

/**
 * The text in the editor. `draft`: the text as it was typed; undefined if nothing was typed. `base`: the saved text below the draft. `theirs`: the file
 * as somebody else saved or deleted it meanwhile.
 */
function useDraft(file: WorkspaceText | undefined, key: string) {
  const [draft, setDraft] = useState<string | undefined>(() => keep.get(key))
  const [base, setBase] = useState(file)
  const [theirs, setTheirs] = useState<WorkspaceText | 'gone'>()
  const isChanged = draft !== undefined && draft !== (base?.text ?? '')
  // The file was changed elsewhere. Without a draft, show the new text; with a draft, warn.
  useEffect(() => {
    if (file?.checksum === base?.checksum) return
    if (!isChanged) setBase(file)
    else setTheirs(file ?? 'gone')
  }, [file, base, isChanged])
  const put = (next: string | undefined) => {
    setDraft(next)
    keep.set(key, next !== undefined && next.length <= longestDraft ? next : undefined)
  }
  /** Shows a saved text and discards the draft. */
  const settle = (saved: WorkspaceText | undefined) => {
    setBase(saved)
    setTheirs(undefined)
    put(undefined)
  }
  return { draft, base, theirs, text: draft ?? base?.text ?? '', isChanged, put, settle, setTheirs }
}

/** Puts the caret at the start of a line, counted from 1, and scrolls the line into view. */
function useCaretAt(line: number | undefined, field: React.RefObject<HTMLTextAreaElement | null>) {
  useEffect(() => {
    const element = field.current
    if (line === undefined || element === null) return
    const start =
      element.value
        .split('\n')
        .slice(0, line - 1)
        .join('\n').length + (line > 1 ? 1 : 0)
    element.setSelectionRange(start, start)
    element.scrollTop = (line - 3) * 20
  }, [line, field])
}

/** An editor for one file of the workspace. A draft that is not too long is stored until it is saved or discarded. */
export function Editor({ file, path, of = inMemory(path), line, rest, preview, onSaved, onDeleted }: Props) {
  const { draft, base, theirs, text, isChanged, put, settle, setTheirs } = useDraft(file, draftKey(of.key))
  const [isEditing, setEditing] = useState(draft !== undefined || file === undefined)
  const [said, setSaid] = useState<{ isProblem: boolean; text: string }>()
  const [isSaving, setSaving] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const isWhole = base?.problem === undefined
  useCaretAt(line, field)

  const type = (next: string | undefined) => {
    put(next)
    setSaid(undefined)
  }
  const save = async (over: string | undefined) => {
    if (rest !== undefined || isSaving) return
    setSaving(true)
    try {
      const saved = await of.write(path, text, over)
      settle(saved)
      setSaid({ isProblem: false, text: 'Saved.' })
      onSaved(saved)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'conflict') {
        setTheirs(await of.read(path).catch(() => 'gone' as const))
      } else {
        setSaid({ isProblem: true, text: `${wordsOf(error)} It is not saved; your text is kept here.` })
      }
    }
    setSaving(false)
  }
  const takeTheirs = () => {
    settle(theirs === 'gone' ? undefined : theirs)
    setSaid(undefined)
  }
  const remove = async () => {
    try {
      await of.remove(path)
      type(undefined)
      onDeleted()
    } catch (error) {
      setSaid({ isProblem: true, text: wordsOf(error) })
    }
  }

  return (
    <article className="editor" aria-label={path}>
      <header>
        <h2 className="mono cut">{path}</h2>
        <small>
          {base === undefined ? 'new' : `changed ${exactTime(base.changedAt)}`}
          {isChanged && ', not saved yet'}
        </small>
        <fieldset className="filters">
          <legend className="vh">Show</legend>
          <button type="button" aria-pressed={!isEditing} onClick={() => setEditing(false)}>
            Preview
          </button>
          <button type="button" aria-pressed={isEditing} onClick={() => setEditing(true)}>
            Edit
          </button>
        </fieldset>
      </header>
      {base?.problem !== undefined && (
        <p className="editor-note" role="note">
          <Mark kind="warn" size={11} /> {base.problem} It cannot be edited here.
        </p>
      )}
      {theirs !== undefined && (
        <Conflict
          theirs={theirs}
          onSave={() => void save(theirs === 'gone' ? undefined : theirs.checksum)}
          onTake={takeTheirs}
        />
      )}
      {isEditing ? (
        <textarea
          ref={field}
          className="field mono"
          aria-label={`Text of ${path}`}
          value={text}
          readOnly={rest !== undefined || !isWhole}
          spellCheck={false}
          onChange={(event) => type(event.currentTarget.value)}
          onKeyDown={(event) => {
            if ((event.ctrlKey || event.metaKey) && event.key === 's') {
              event.preventDefault()
              void save(base?.checksum)
            }
          }}
        />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls, by keyboard too
        <section className="preview scroll" aria-label="Preview" tabIndex={0}>
          {text.trim() === '' ? <p className="text-dim">Empty.</p> : preview(text)}
        </section>
      )}
      <footer>
        {rest ?? (
          <>
            <button
              type="button"
              className="button solid"
              aria-disabled={isSaving || !isWhole || !isChanged || theirs !== undefined}
              onClick={() => isChanged && isWhole && theirs === undefined && void save(base?.checksum)}
            >
              Save the text
            </button>
            {isChanged && (
              <button type="button" className="button quiet" onClick={() => type(undefined)}>
                Undo my changes
              </button>
            )}
            <span className="flex-1" />
            {base !== undefined &&
              (isAsking ? (
                <>
                  <button type="button" className="button small" onClick={() => void remove()}>
                    Delete {path}
                  </button>
                  <button type="button" className="button small quiet" onClick={() => setAsking(false)}>
                    Keep it
                  </button>
                </>
              ) : (
                <button type="button" className="button small quiet" onClick={() => setAsking(true)}>
                  Delete…
                </button>
              ))}
          </>
        )}
        {said !== undefined && (
          <p role="status">
            <Mark kind={said.isProblem ? 'bad' : 'ok'} size={11} /> {said.text}
          </p>
        )}
      </footer>
    </article>
  )
}

type ConflictProps = { theirs: WorkspaceText | 'gone'; onSave: () => void; onTake: () => void }

/** The file was changed or deleted elsewhere: shows the present text and lets the reader choose one. */
function Conflict({ theirs, onSave, onTake }: ConflictProps) {
  return (
    <div className="strip conflict" role="alert">
      <span>
        <b>{theirs === 'gone' ? 'It was deleted meanwhile.' : 'It was changed meanwhile.'}</b> Your text is kept.
        {theirs !== 'gone' && (
          <details>
            <summary>What stands there now</summary>
            <pre>{theirs.text}</pre>
          </details>
        )}
      </span>
      <button type="button" className="button small" onClick={onSave}>
        {theirs === 'gone' ? 'Make it anew' : 'Save mine over it'}
      </button>
      <button type="button" className="button small quiet" onClick={onTake}>
        {theirs === 'gone' ? 'Let mine go' : 'Take theirs'}
      </button>
    </div>
  )
}

const wordsOf = (error: unknown) => (error instanceof ApiError ? error.message : 'The answer could not be read.')
