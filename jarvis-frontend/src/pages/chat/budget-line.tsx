import type { EntryOf } from 'protocol'
import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { call } from '../../api/http.ts'
import { say } from '../../app/announce.tsx'
import { Step } from '../../features/chat/step.tsx'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'

/** Amount that one press adds to the budget, US dollars. */
const moreUsd = 1

/** A line about a run's budget: it is nearly used up, or a person raised it. `isOpen`: the run continues, so the budget can still be raised. */
export function BudgetLine({
  entry,
  isOpen,
  isOperator,
}: {
  entry: EntryOf<'budget'>
  isOpen: boolean
  isOperator: boolean
}) {
  const [problem, setProblem] = useState<string>()
  const [isAsking, setAsking] = useState(false)
  const allow = async () => {
    setAsking(true)
    setProblem(undefined)
    try {
      await call('POST /api/budgets/runs/:runId', { params: { runId: entry.runId }, body: { usd: moreUsd } })
      say('This run may cost $1 more.')
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : 'It could not be allowed.')
    }
    setAsking(false)
  }
  const isNear = entry.what === 'near'
  return (
    <Step mark={<Mark kind="step" size={8} />} label="Budget" top={14}>
      <div className="strip" role="note">
        <Mark kind={isNear ? 'warn' : 'ok'} size={12} />
        <span>
          <Visible text={entry.text} />
          {problem !== undefined && <span role="alert"> Not allowed: {problem}</span>}
        </span>
        {isNear && isOpen && isOperator && (
          <button type="button" className="button small" disabled={isAsking} onClick={() => void allow()}>
            Allow $1 more…
          </button>
        )}
        {isNear && isOpen && !isOperator && <span className="text-dim">An operator can allow more.</span>}
      </div>
    </Step>
  )
}
