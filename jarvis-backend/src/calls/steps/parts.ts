import type { Principal } from 'protocol'
import type { Redactor, World } from '../../gate/index.ts'
import type { Cluster } from '../../homelab/ports.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Decisions } from '../../signing/decisions.ts'
import type { Catalog } from '../../tools/catalog.ts'
import type { ToolContext } from '../../tools/tool.ts'
import type { ApprovedLater } from '../changes/approved-later.ts'
import type { Changes } from '../changes/changes.ts'
import type { Confirmations } from '../confirmations/confirmations.ts'
import type { Grants } from '../confirmations/grants.ts'
import type { createEffectsOf, Judge, SeeingJudge } from '../judge.ts'
import type { LookAgain } from '../look-again.ts'
import type { People } from '../people.ts'
import type { Plans } from '../plans/plans.ts'
import type { ExecutionStore, JournalProof } from '../ports.ts'
import type { Questions } from '../questions/questions.ts'
import type { Reconciled } from '../reconcile.ts'
import type { Ways } from '../way.ts'

/** A call that runs now; `sentence` says which, who asked for it, and why it is told. Names in it are quoted. */
export type Observed = { toolUseId: string; sessionId: string; sentence: string }

/** The result of a call that was stopped while it waited to begin. */
export const notBegun = 'Stopped before it began. Nothing was run.'

/** What the steps of a call stand on. */
export type StepParts = {
  ways: Ways
  judge: Judge
  seeingJudge: SeeingJudge
  /** What became of the files that a call changes; undefined where none were begun. */
  applied(toolUseId: string): Promise<Reconciled | undefined>
  /** What a change left of a guest, in sentences. @throws the signal's reason */
  leftOf(vmid: number, signal: AbortSignal): Promise<string>
  effectsOf: ReturnType<typeof createEffectsOf>
  world: () => World
  confirmations: Confirmations
  grants: Grants
  returns: ApprovedLater
  changes: Pick<Changes, 'contextOf'>
  plans: Pick<Plans, 'reserve'>
  questions: Pick<Questions, 'ask'>
  executions: ExecutionStore
  lookAgain: LookAgain
  proof: JournalProof
  decisions: Pick<Decisions, 'problem'>
  /** Why the approval of a call's card is not signed. */
  unsigned(callId: string): string | undefined
  redactor: Redactor
  clock: Clock
  people: Pick<People, 'find'>
  /** Why whoever asked at `since`, Unix ms, may not ask any more. */
  goneSince(asker: Principal, since: number): string | undefined
  cluster: Cluster
  /** The part of the cluster that a principal's person may see; undefined: all of it. */
  sightOf(principal: Principal): ToolContext['sees']
  catalog: Pick<Catalog, 'get'>
  /** Tells the operator of a call that runs and that a rule of theirs wants to hear of. */
  observed(told: Observed): void
  /** Reports a tool's unexpected exception. */
  report(error: unknown, toolName: string): void
}
