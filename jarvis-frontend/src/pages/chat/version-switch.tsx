import type { Page, Versions } from 'jarvis-backend/protocol'
import { useEffect, useRef } from 'react'
import { Remote, useRemote } from '../../api/remote.ts'
import { readVersions } from '../../api/session-acts.ts'
import { say } from '../../app/announce.tsx'
import { navigate, useLocation } from '../../lib/location.tsx'
import { Icon } from '../../ui/icon.tsx'

let open: { sessionId: string; remote: Remote<Page<Versions>> } | undefined
addEventListener('jarvis:changed', (event) => {
  if (['sessions', 'connect'].includes((event as CustomEvent<string>).detail)) open?.remote.renew()
})

/** Read once for all messages of the session that is open. */
function versionsOf(sessionId: string): Remote<Page<Versions>> {
  if (open?.sessionId !== sessionId) {
    open?.remote.forget()
    open = { sessionId, remote: new Remote(() => readVersions(sessionId)) }
  }
  return open.remote
}

/** The messages of a session that were edited or retried; undefined until they are read. */
export const useVersions = (sessionId: string): Versions[] | undefined => useRemote(versionsOf(sessionId))?.items

/** Which button took the reader here, so that the next press of the same key goes on. */
type Came = { version?: { entry: number; step: number } } | null

/** `‹ 2/3 ›` beside a message that was edited or retried: each version is a session of its own. */
export function VersionSwitch({ sessionId, seq }: { sessionId: string; seq: number }) {
  const versions = useVersions(sessionId)?.find(({ entry }) => entry === seq)
  const { version: came } = (useLocation().state as Came) ?? {}
  const group = useRef<HTMLFieldSetElement>(null)
  const isHere = versions !== undefined
  const cameBy = came?.entry === seq ? came.step : undefined
  useEffect(() => {
    if (!isHere || cameBy === undefined) return
    // After the message, which is brought on screen and focused when its page opens.
    const frame = requestAnimationFrame(() => {
      group.current?.querySelectorAll('button')[cameBy < 0 ? 0 : 1]?.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  }, [isHere, cameBy])
  if (versions === undefined) return null
  const { sessionIds, shown } = versions
  const go = (step: number) => {
    const id = sessionIds[shown + step]
    if (id === undefined) return
    say(`Version ${shown + step + 1} of ${sessionIds.length}.`)
    navigate(`/chat/${id}?at=${seq}`, { state: { version: { entry: seq, step } } satisfies Came })
  }
  const isFirst = shown === 0
  const isLast = shown === sessionIds.length - 1
  return (
    <fieldset ref={group} className="versions">
      <legend className="vh">Versions of this message</legend>
      <button
        type="button"
        className="icon-button earlier"
        aria-label="Earlier version"
        title="Earlier version"
        aria-disabled={isFirst}
        onClick={() => go(-1)}
      >
        <Icon name="right" />
      </button>
      <span className="num">
        <span aria-hidden="true">
          {shown + 1}/{sessionIds.length}
        </span>
        <span className="vh">
          Version {shown + 1} of {sessionIds.length}
        </span>
      </span>
      <button
        type="button"
        className="icon-button"
        aria-label="Later version"
        title="Later version"
        aria-disabled={isLast}
        onClick={() => go(1)}
      >
        <Icon name="right" />
      </button>
    </fieldset>
  )
}
