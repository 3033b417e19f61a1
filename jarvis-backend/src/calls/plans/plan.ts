import type { Approvals, Card, PlanFacts, PlanRun, Principal, StepState, Tier } from 'protocol'

/** The target of a plan's call as it was when the plan was approved. The approval depends on it. */
export type Seen = Pick<Card, 'toolUseId' | 'target' | 'basis' | 'rule'> & {
  approvals?: Pick<Approvals, 'needed' | 'roles' | 'notAsker'> | undefined
}

/** A call of a plan that has begun. `callHash`: hash of tool and arguments. `seen`: absent if the call needs no approval. */
export type StoredStep = { number: number; toolUseId: string; tier: Tier; callHash: string; seen?: Seen }

/** The outcome of a step. Times are Unix ms; they are absent for a step whose call was not made. */
export type StepNote = { state: StepState; outcome?: string; startedAt?: number; endedAt?: number }

/**
 * A plan that has begun. Its id is the id of the call that led to the plan. `until`: Unix ms; after it the approval lets no step begin.
 * `approvedBy`: absent if none of its calls needed approval. `stopBy`: the person who wants the plan to stop after its present step.
 */
export type StoredPlan = {
  id: string
  sessionId: string
  runId: string
  facts: PlanFacts
  asker: Principal
  approvedBy?: string
  until: number
  steps: StoredStep[]
  notes: Record<number, StepNote>
  script: unknown
  state: Exclude<PlanRun['state'], 'asks'>
  why?: string
  startedAt: number
  endedAt?: number
  stopBy?: string
}

export interface PlanStore {
  /** @throws if a plan with this id exists already */
  add(plan: StoredPlan): void
  get(id: string): StoredPlan | undefined
  ofRun(runId: string): StoredPlan | undefined
  /** Writes the fields that can change after the plan has begun. */
  save(plan: StoredPlan): void
  /** Lists plans, newest first. @param query.before Unix ms: only plans that began earlier */
  list(query: { limit: number; before?: number; runbook?: string }): StoredPlan[]
  /** Deletes plans that ended before a time. @param before Unix ms */
  prune(before: number): void
}
