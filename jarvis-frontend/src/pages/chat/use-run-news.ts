import { useEffect, useRef } from 'react'
import { say } from '../../app/announce.tsx'
import type { SessionView } from '../../features/chat/state.ts'

/** Has screen readers say when an answer begins and ends. Its tokens are not read. */
export function useRunNews(view: SessionView | undefined): void {
  const runId = view?.runId
  const before = useRef<string>(undefined)
  const latest = useRef(view)
  latest.current = view
  useEffect(() => {
    const ended = before.current
    before.current = runId
    if (runId !== undefined && ended !== runId) say('JARVIS answers')
    else if (ended !== undefined && runId === undefined) {
      const view = latest.current
      void import('./ending.ts').then(
        ({ ending }) => say(ending(view, ended)),
        () => say('Answer finished.'),
      )
    }
  }, [runId])
}
