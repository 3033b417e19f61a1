import type { Attachment } from 'protocol'
import { Suspense, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { discard, upload } from '../../api/attachments.ts'
import { useStatus } from '../../api/status.ts'
import { size } from '../../lib/format.ts'
import { smallerPicture } from '../../lib/smaller-picture.ts'
import { useValue } from '../../lib/use-value.ts'
import { Value } from '../../lib/value.ts'
import { Icon } from '../../ui/icon.tsx'
import { visibleText } from '../../ui/visible.ts'
import { optional } from './optional.ts'
import './attach.css'

const Microphone = optional(
  () => import('./microphone.tsx').then((part) => part.Microphone),
  () => null,
)

/** A file of the draft. `share`: share that was uploaded, 0 to 1. `preview`: `data:` URL of a picture. */
type Item = {
  key: number
  name: string
  bytes: number
  preview?: string
  share: number
  file?: Attachment
  problem?: string
  stop: AbortController
}

/** The files attached to the message that the person is writing. */
export type Attached = {
  /** @returns ids of the files; undefined if a file is still uploading or failed, and then the person sees why */
  ids(): string[] | undefined
  /** True if files prevent sending an answer to a question, because such an answer takes no files. The person then sees why. */
  holdsBack(): boolean
  /** Removes the files from the draft after they were sent. */
  clear(): void
  /** Adds the files of an earlier message that the person edits. */
  take(files: readonly Attachment[]): void
}

/** The files of a message that is being written. `said`: the last message to the person about them. */
type Draft = { items: Value<readonly Item[]>; said: Value<string> }

const most = 8
let made = 0
/** The files by draft, so that they are kept if a message could not be sent. */
const drafts = new Map<string, Draft>()

function draftOf(key: string): Draft {
  const known = drafts.get(key) ?? { items: new Value<readonly Item[]>([]), said: new Value('') }
  drafts.set(key, known)
  return known
}

type Props = { draftKey: string; onReady: (attached: Attached) => void }

/** Attaches files to the message that the person is writing: chosen, pasted into the field, or dropped on the page. */
export function Attach({ draftKey, onReady }: Props) {
  const draft = draftOf(draftKey)
  const said = useValue(draft.said)
  const hasSpeech = useStatus()?.hasSpeech === true
  const isOver = useDroppedFiles(draft)
  const input = useRef<HTMLInputElement>(null)
  const [row, setRow] = useState<HTMLElement | null>(null)
  useEffect(() => setRow(document.getElementById('composer-more')), [])
  const ready = useRef(onReady)
  ready.current = onReady
  useEffect(() => {
    ready.current(attachedTo(draft))
  }, [draft])
  return (
    <div className={`attach${isOver ? ' is-over' : ''}`}>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          add(draft, [...(currentTarget.files ?? [])])
          currentTarget.value = ''
        }}
      />
      {row !== null &&
        createPortal(
          <>
            <button
              type="button"
              className="button small quiet"
              aria-label="Attach"
              title="Attach pictures or text files"
              onClick={() => input.current?.click()}
            >
              <Icon name="plus" />
            </button>
            {hasSpeech && (
              <Suspense>
                <Microphone onSaid={(text) => draft.said.set(text)} />
              </Suspense>
            )}
          </>,
          row,
        )}
      <AttachedFiles draft={draft} />
      <p role="status" className="text-soft">
        {isOver ? 'Drop to attach.' : said}
      </p>
    </div>
  )
}

const attachedTo = ({ items, said }: Draft): Attached => ({
  ids() {
    const all = items.get()
    const open = all.find(({ file }) => file === undefined)
    if (open === undefined) return all.flatMap(({ file }) => file?.id ?? [])
    said.set(open.problem === undefined ? `${open.name} is still on its way.` : `Remove ${open.name} before you send.`)
    return undefined
  },
  holdsBack() {
    if (items.get().length === 0) return false
    said.set('Files go with a message, not with an answer. Remove them and answer first.')
    return true
  },
  clear() {
    items.set([])
    said.set('')
  },
  take(files) {
    const taken = files.map((file): Item => {
      made += 1
      return { key: made, name: file.name, bytes: file.bytes, share: 1, file, stop: new AbortController() }
    })
    items.set([...items.get(), ...taken])
  },
})

/** Adds files that are pasted into the field or dropped on the page. @returns true while files are dragged over the page */
function useDroppedFiles(draft: Draft): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const filesOf = (data: DataTransfer | null) => [...(data?.files ?? [])]
    const isFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true
    const onPaste = (event: ClipboardEvent) => {
      const files = filesOf(event.clipboardData)
      if (files.length === 0 || (event.target as Element | null)?.id !== 'composer') return
      event.preventDefault()
      add(draft, files)
    }
    const onDrag = (event: DragEvent) => {
      if (!isFiles(event)) return
      event.preventDefault()
      setOver(event.type === 'dragover')
    }
    const onDrop = (event: DragEvent) => {
      if (!isFiles(event)) return
      event.preventDefault()
      setOver(false)
      add(draft, filesOf(event.dataTransfer))
    }
    const leave = new AbortController()
    const { signal } = leave
    document.addEventListener('paste', onPaste, { signal })
    document.addEventListener('dragover', onDrag, { signal })
    document.addEventListener('dragleave', onDrag, { signal })
    document.addEventListener('drop', onDrop, { signal })
    return () => leave.abort()
  }, [draft])
  return isOver
}

function AttachedFiles({ draft }: { draft: Draft }) {
  const items = useValue(draft.items)
  if (items.length === 0) return null
  return (
    <ul aria-label="Attached files">
      {items.map((item) => (
        <li key={item.key} className={item.problem === undefined ? undefined : 'failed'}>
          {item.preview !== undefined && <img src={item.preview} alt="" />}
          <span className="cut">{visibleText(item.name)}</span>
          <small>{stateOf(item)}</small>
          <button
            type="button"
            className="button small quiet"
            aria-label={`Remove ${visibleText(item.name)}`}
            onClick={() => remove(draft, item)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  )
}

const stateOf = ({ problem, file, share, bytes }: Item): string =>
  problem ?? (file === undefined ? `${Math.round(share * 100)} %` : size(bytes))

function add(draft: Draft, files: readonly File[]): void {
  const room = Math.max(0, most - draft.items.get().length)
  draft.said.set(files.length > room ? `A message may hold ${most} files.` : '')
  for (const file of files.slice(0, room)) void begin(draft, file)
}

function remove({ items, said }: Draft, item: Item): void {
  item.stop.abort()
  items.set(items.get().filter(({ key }) => key !== item.key))
  said.set(`${item.name} is removed.`)
  if (item.file !== undefined) discard(item.file.id).catch(() => undefined)
  document.getElementById('composer')?.focus()
}

async function begin({ items, said }: Draft, given: File): Promise<void> {
  made += 1
  const key = made
  const stop = new AbortController()
  const change = (part: Partial<Item>) =>
    items.set(items.get().map((item) => (item.key === key ? { ...item, ...part } : item)))
  const name = given.name || 'file'
  items.set([...items.get(), { key, name, bytes: given.size, share: 0, stop }])
  try {
    const sent = await smallerPicture(given)
    stop.signal.throwIfAborted()
    const address = await addressOf(sent)
    if (/^image\/(?:png|jpeg|webp|gif)$/.test(sent.type)) change({ preview: address })
    const data = address.slice(address.indexOf(',') + 1)
    const file = await upload({ name: sent.name || name, data }, (share) => change({ share }), stop.signal)
    change({ file, name: file.name, bytes: file.bytes })
    const scaled = sent === given ? '' : `, as ${file.widthPx}×${file.heightPx} pixels`
    said.set(`${file.name} is attached${scaled}.`)
  } catch (error) {
    if (stop.signal.aborted) return
    const problem = error instanceof Error ? error.message : 'It could not be attached.'
    change({ problem })
    said.set(problem)
  }
}

const addressOf = (file: File) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(new Error(`${file.name} could not be read.`))
    reader.readAsDataURL(file)
  })
