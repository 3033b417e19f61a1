import type { SessionFile } from 'protocol'
import { useState } from 'react'
import { download } from '../../api/download.ts'
import { call, file } from '../../api/http.ts'
import { pictureAddress } from '../../api/images.ts'
import { useLoad } from '../../api/use-load.ts'
import { Over } from '../../app/over.tsx'
import { exactTime, plural, size } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import { visibleLines, visibleText } from '../../ui/visible.ts'
import './sharing.css'

/** The longest text that is shown, bytes. A longer one is offered as a download alone. */
const mostShown = 1_000_000

/** Says in the header how many files JARVIS wrote in the session's own folder, and opens their list. Renders nothing if there are none. */
export function Files({ sessionId }: { sessionId: string }) {
  const { data } = useLoad(
    `files ${sessionId}`,
    () => call('GET /api/sessions/:id/files', { params: { id: sessionId } }),
    ['connect', 'sessions'],
  )
  const [isOpen, setOpen] = useState(false)
  if (data === undefined || data.items.length === 0) return null
  const words = `${plural(data.items.length, 'file')}${data.isCut ? ' and more' : ''}`
  const close = () => setOpen(false)
  return (
    <>
      <button type="button" className="button small quiet" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {words}
      </button>
      {isOpen && (
        <Over label="Files" onClose={close}>
          <section className="sharing-dialog scroll">
            <h2>Files</h2>
            <ul className="sharing-list">
              {data.items.map((item) => (
                <Row key={item.path} item={item} sessionId={sessionId} onLeave={close} />
              ))}
            </ul>
            <p className="text-soft">
              What JARVIS wrote, downloaded or was sent in this conversation. Secrets in a text are replaced.
              {data.isCut && ' There are more files than are listed here.'}
            </p>
            <button type="button" className="button small" onClick={close}>
              Close
            </button>
          </section>
        </Over>
      )}
    </>
  )
}

type Shown = { text: string } | { picture: string } | { problem: string }

function Row({ item, sessionId, onLeave }: { item: SessionFile; sessionId: string; onLeave: () => void }) {
  const { path, bytes, changedAt, isGone, by } = item
  const [shown, setShown] = useState<Shown>()
  const read = () => file('GET /api/sessions/:id/files/*path', { params: { id: sessionId, path } })
  const fail = (error: Error) => setShown({ problem: error.message })
  const open = () => (shown === undefined ? void read().then(shownOf).then(setShown, fail) : setShown(undefined))
  const name = path.slice(path.lastIndexOf('/') + 1)
  return (
    <li>
      <b>
        <Visible text={path} />
      </b>
      <span className="text-soft">
        {isGone ? 'not there any more' : [size(bytes ?? 0), exactTime(changedAt ?? 0)].join(', ')}
        {by !== undefined && (
          <>
            {', by '}
            <Link to={`/chat/${sessionId}?at=${by.seq}`} className="text-link" onClick={onLeave}>
              {visibleText(by.toolName)}
            </Link>
          </>
        )}
      </span>
      {!isGone && (
        <span className="two-acts">
          <button
            type="button"
            className="button small quiet"
            aria-expanded={shown !== undefined}
            aria-label={`${shown === undefined ? 'Open' : 'Close'} ${visibleText(path)}`}
            onClick={open}
          >
            {shown === undefined ? 'Open' : 'Close'}
          </button>
          <button
            type="button"
            className="button small quiet"
            aria-label={`Download ${visibleText(path)}`}
            onClick={() => void download(read(), name).catch(fail)}
          >
            Download
          </button>
        </span>
      )}
      {shown !== undefined && <Content shown={shown} path={path} />}
    </li>
  )
}

function Content({ shown, path }: { shown: Shown; path: string }) {
  if ('problem' in shown) return <p role="alert">{shown.problem}</p>
  if ('picture' in shown) return <img className="file-shown" src={shown.picture} alt={visibleText(path)} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls, by keyboard too
    <pre className="mono file-shown" tabIndex={0}>
      {shown.text}
    </pre>
  )
}

async function shownOf(blob: Blob): Promise<Shown> {
  if (blob.type.startsWith('image/')) return { picture: await pictureAddress(blob) }
  if (!blob.type.startsWith('text/plain')) return { problem: 'It is neither text nor a picture. Download it instead.' }
  if (blob.size > mostShown) return { problem: 'It is too long to be shown. Download it instead.' }
  return { text: visibleLines(await blob.text()) }
}
