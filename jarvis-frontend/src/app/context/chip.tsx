import type { ContextReport } from 'protocol'
import { useEffect, useState } from 'react'
import { readContext } from '../../api/context.ts'
import { dollars, thousands } from '../../lib/format.ts'
import { useValue } from '../../lib/use-value.ts'
import { live } from '../live.ts'
import { usePanel } from '../panel-context.ts'
import { contextOf } from './open.ts'
import './context.css'

/** A button such as `13.4k of 32.0k · $0.94`. It opens the context panel in place of the cluster panel. */
export function ContextChip({ sessionId }: { sessionId: string }) {
  const [report, setReport] = useState<ContextReport>()
  const panel = usePanel()
  const { view } = useValue(live.chat.open(sessionId).calm)
  const isOpen = useValue(contextOf) === sessionId && panel.isOpen
  const isRunning = view?.runId !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again when an answer begins or ends
  useEffect(() => {
    let isGone = false
    readContext(sessionId).then(
      (found) => {
        if (!isGone) setReport(found)
      },
      () => {},
    )
    return () => {
      isGone = true
    }
  }, [sessionId, isRunning])
  if (report === undefined) return null
  const { usedTokens, windowTokens, spent } = report
  const toggle = () => {
    contextOf.set(isOpen ? undefined : sessionId)
    if (!isOpen && !panel.isOpen) panel.toggle()
  }
  return (
    <button
      type="button"
      className="context-chip num"
      aria-expanded={isOpen}
      title="What fills the model’s window"
      onClick={toggle}
    >
      <span className="context-meter" aria-hidden="true">
        <i style={{ width: `${Math.min(100, (100 * usedTokens) / windowTokens)}%` }} />
      </span>
      {thousands(usedTokens)} of {thousands(windowTokens)}
      {spent.costUsd !== undefined && ` · ${dollars(spent.costUsd)}`}
    </button>
  )
}
