import { useEffect, useRef } from 'react'
import type { SessionView } from '../features/chat/state.ts'
import { plural } from '../lib/format.ts'
import { say } from './announce.tsx'

/** Speaks when an answer begins and ends; never its tokens. */
export function useRunNews(view: SessionView | undefined): void {
  const runId = view?.runId
  const before = useRef<string>(undefined)
  const latest = useRef(view)
  latest.current = view
  useEffect(() => {
    const ended = before.current
    before.current = runId
    if (runId !== undefined && ended !== runId) say('JARVIS answers')
    else if (ended !== undefined && runId === undefined) say(ending(latest.current, ended))
  }, [runId])
}

function ending(view: SessionView | undefined, runId: string): string {
  const entries = view?.entries.filter((entry) => entry.runId === runId) ?? []
  if (entries.some((entry) => entry.type === 'error')) return 'The answer failed.'
  const calls = entries.filter((entry) => entry.type === 'tool_use').length
  const refused = entries.filter((entry) => entry.type === 'blocked').length
  const said = entries
    .flatMap((entry) => (entry.type === 'assistant' ? entry.content : []))
    .findLast((part) => part.type === 'text')
  const sentence = said?.text.replaceAll(/[*_`#]/g, '').split(/(?<=[.!?])\s/)[0] ?? ''
  const counts = calls + refused > 0 ? ` ${plural(calls, 'call')}, ${refused} refused.` : ''
  return `Answer finished.${counts} ${sentence}`.trim()
}
