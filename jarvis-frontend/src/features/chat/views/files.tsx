import type { FilesData } from 'protocol'
import { useState } from 'react'
import { plural } from '../../../lib/format.ts'
import { FileDiff } from '../../../ui/file-diff.tsx'
import type { Call } from '../runs.ts'
import { Exact } from './exact.tsx'

const shownFiles = 3

/** The files that a call changed. The list is collapsed at first if the call had a card, because the card showed the diff. */
export function FilesView({ call, files: { diff } }: { call: Call; files: FilesData }) {
  const [isOpen, setOpen] = useState(call.needed === undefined)
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? diff : diff.slice(0, shownFiles)
  return (
    <>
      {isOpen && (
        <ul className="file-diffs" aria-label="Files that changed">
          {shown.map((file) => (
            <li key={file.path}>
              <FileDiff file={file}>
                {file.left > 0 && <p className="rest">{plural(file.left, 'line')} more are not kept here.</p>}
              </FileDiff>
            </li>
          ))}
        </ul>
      )}
      <Exact call={call}>
        {call.needed !== undefined && (
          <button type="button" className="view-more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide the difference' : 'Show the difference'}
          </button>
        )}
        {isOpen && diff.length > shownFiles && (
          <button type="button" className="view-more" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? `Show ${shownFiles} files` : `Show all ${diff.length} files`}
          </button>
        )}
      </Exact>
    </>
  )
}
