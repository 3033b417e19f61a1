import type { Attachment } from 'protocol'
import { useState } from 'react'
import { attachedText } from '../../api/attachments.ts'
import { size } from '../../lib/format.ts'
import { visibleLines, visibleText } from '../../ui/visible.ts'
import { Pictures } from './pictures.tsx'
import './attach.css'

/** Shows the files of a sent message. */
export function AttachedFiles({ files, sessionId }: { files: readonly Attachment[]; sessionId: string }) {
  const pictures = files.filter(({ mimeType }) => mimeType !== 'text/plain')
  return (
    <div className="attached">
      {pictures.length > 0 && (
        <Pictures images={pictures} sessionId={sessionId} by={pictures.map(({ name }) => name).join(', ')} isAttached />
      )}
      {files
        .filter(({ mimeType }) => mimeType === 'text/plain')
        .map((file) => (
          <TextFile key={file.id} file={file} sessionId={sessionId} />
        ))}
    </div>
  )
}

function TextFile({ file, sessionId }: { file: Attachment; sessionId: string }) {
  const [shown, setShown] = useState<string>()
  const toggle = () => {
    if (shown !== undefined) return setShown(undefined)
    attachedText(sessionId, file.id).then(
      (text) => setShown(visibleLines(text)),
      (error: Error) => setShown(`The file is not shown. ${error.message}`),
    )
  }
  return (
    <>
      <button type="button" className="button small quiet" aria-expanded={shown !== undefined} onClick={toggle}>
        {visibleText(file.name)}, {size(file.bytes)}
      </button>
      {shown !== undefined && <pre className="mono">{shown}</pre>}
    </>
  )
}
