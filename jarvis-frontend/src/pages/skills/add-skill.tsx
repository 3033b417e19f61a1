import { ApiError } from 'protocol/client'
import { useRef, useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { addSkill } from '../../api/skills.ts'
import { say } from '../../app/announce.tsx'
import { Problem, useIsLive } from '../../app/load-state.tsx'
import { size } from '../../lib/format.ts'
import { navigate } from '../../lib/location.tsx'
import { useValue } from '../../lib/use-value.ts'
import { base64Of, chosenFiles, droppedFiles, type FolderFile } from './folder-files.ts'

/** The server takes 8 MB, in base64. */
const mostBytes = 5_500_000

/** Adds a skill by its folder or its SKILL.md, chosen or dropped here. The skill stays off until somebody reads and approves it. */
export function AddSkill({ agent }: { agent?: string }) {
  const isOperator = useValue(signedIn)?.role === 'operator'
  const isLive = useIsLive()
  const [isOver, setOver] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [refused, setRefused] = useState<ApiError>()
  const folder = useRef<HTMLInputElement>(null)
  const file = useRef<HTMLInputElement>(null)
  if (!isOperator || !isLive) return null
  const add = async (given: FolderFile[] | Promise<FolderFile[]>) => {
    setBusy(true)
    setRefused(undefined)
    try {
      const files = await given
      const bytes = files.reduce((sum, one) => sum + one.file.size, 0)
      if (files.length === 0 || bytes > mostBytes)
        throw new ApiError(
          'invalid_request',
          files.length === 0
            ? 'There is no file in it.'
            : `It has ${size(bytes)}, and a page takes at most ${size(mostBytes)}: put the folder into ${agent === undefined ? 'workspace' : `agents/${agent}`}/skills of the data dir.`,
        )
      const added = await addSkill(
        await Promise.all(files.map(async ({ path, file }) => ({ path, data: await base64Of(file) }))),
        agent,
      )
      say(`${added.name} is added. Read and approve it.`)
      navigate(
        `/agents/skills/${encodeURIComponent(added.name)}${agent === undefined ? '' : `?agent=${encodeURIComponent(agent)}`}`,
      )
    } catch (error) {
      setRefused(error instanceof ApiError ? error : new ApiError('unreadable', 'The files could not be read.'))
      setBusy(false)
    }
  }
  return (
    <section
      className="skill-add"
      aria-label="Add a skill"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        if (!isBusy) void add(droppedFiles(event.dataTransfer))
      }}
    >
      <p className="text-soft">
        Drop a skill’s folder or its SKILL.md here. It stays off until somebody has read and approved it.
      </p>
      <button type="button" className="button small" disabled={isBusy} onClick={() => folder.current?.click()}>
        {isBusy ? 'Adding' : 'Choose a folder…'}
      </button>
      <button type="button" className="button small" disabled={isBusy} onClick={() => file.current?.click()}>
        Choose a SKILL.md…
      </button>
      <input
        ref={(input) => {
          folder.current = input
          // React has no property for it.
          if (input !== null) input.webkitdirectory = true
        }}
        type="file"
        hidden
        aria-label="A skill’s folder"
        onChange={({ currentTarget }) => {
          void add(chosenFiles(currentTarget.files))
          // The same folder can be chosen again.
          currentTarget.value = ''
        }}
      />
      <input
        ref={file}
        type="file"
        hidden
        accept=".md"
        aria-label="A SKILL.md"
        onChange={({ currentTarget }) => {
          void add(chosenFiles(currentTarget.files).map((one) => ({ ...one, path: 'SKILL.md' })))
          currentTarget.value = ''
        }}
      />
      <Problem error={refused} isRefusal />
    </section>
  )
}
