import type { PlanRun, PlanStep } from 'protocol'
import type { StoredPlan } from '../calls/plans/plan.ts'

/** A plan as clients get it. @param asks true if the card of this call waits for a person */
export function shownPlan(plan: StoredPlan, asks: (toolUseId: string) => boolean): PlanRun {
  const { facts, notes, steps, state, sessionId, startedAt, endedAt, why, asker, approvedBy } = plan
  const shown = facts.steps.map((step): PlanStep => {
    const { state: noted, ...note } = notes[step.number] ?? {}
    const { toolUseId } = steps.find(({ number }) => number === step.number) ?? {}
    const isAsking = toolUseId !== undefined && state === 'running' && asks(toolUseId)
    const isLeft = state !== 'running' && noted === undefined && step.state === 'waits'
    return {
      ...step,
      ...note,
      state: isAsking ? 'asks' : isLeft ? 'not_begun' : (noted ?? step.state),
      ...(toolUseId !== undefined && noted !== undefined && { toolUseId }),
    }
  })
  return {
    ...facts,
    steps: shown,
    state: state === 'running' && shown.some((step) => step.state === 'asks') ? 'asks' : state,
    why,
    sessionId,
    startedAt,
    by: approvedBy ?? asker.name,
    endedAt,
  }
}
