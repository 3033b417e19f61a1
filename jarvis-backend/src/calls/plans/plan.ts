import type { Approvals, Card, PlanFacts, PlanRun, Principal, StepState, Tier } from 'protocol'

/** How a call's target was when its plan was approved: what its approval rests on. */
export type Seen = Pick<Card, 'toolUseId' | 'target' | 'basis' | 'rule'> & {
  approvals?: Pick<Approvals, 'needed' | 'roles' | 'notAsker'> | undefined
}

/** A call of a plan that began. `callHash`: of tool and arguments. `seen`: absent where it needs no approval. */
export type StoredStep = { number: number; toolUseId: string; tier: Tier; callHash: string; seen?: Seen }

/** What became of a step: of a call, or of one that was not made. */
export type StepNote = { state: StepState; outcome?: string; startedAt?: number; endedAt?: number }

/**
 * A plan that began; its id is the id of the call that led to it. `until`: no step begins by the approval later, Unix ms.
 * `approvedBy`: absent where nothing of it asked. `stopBy`: who wants it to stop after its present step.
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
  /** @throws where a plan of that id began before */
  add(plan: StoredPlan): void
  get(id: string): StoredPlan | undefined
  ofRun(runId: string): StoredPlan | undefined
  /** Writes what changed since it began. */
  save(plan: StoredPlan): void
  /** Newest first. @param before Unix ms: those that began earlier */
  list(query: { limit: number; before?: number; runbook?: string }): StoredPlan[]
  /** Forgets plans that ended before, Unix ms. */
  prune(before: number): void
}
