import type { Versions } from 'protocol'
import { useEffect, useRef } from 'react'
import { say } from '../../app/announce.tsx'
import { navigate, useLocation } from '../../lib/location.tsx'
import { Icon } from '../../ui/icon.tsx'

/** The button that opened this version. It gets the focus, so that the same key opens the next version. */
type Came = { version?: { entry: number; step: number } } | null

/** A switch such as `‹ 2/3 ›` beside a message that was edited or retried. Each version is its own session. */
export function VersionSwitch({ versions: { sessionIds, shown, entry: seq } }: { versions: Versions }) {
  const { version: came } = (useLocation().state as Came) ?? {}
  const group = useRef<HTMLFieldSetElement>(null)
  const cameBy = came?.entry === seq ? came.step : undefined
  useEffect(() => {
    if (cameBy === undefined) return
    // Wait a frame: the page first scrolls to the message and focuses it.
    const frame = requestAnimationFrame(() => {
      group.current?.querySelectorAll('button')[cameBy < 0 ? 0 : 1]?.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  }, [cameBy])
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
