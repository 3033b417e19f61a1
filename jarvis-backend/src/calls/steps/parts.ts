import type { Cluster } from 'homelab-ports/ports'
import type { Principal } from 'protocol'
import type { Decisions } from '../../access/decisions.ts'
import type { Redactor, World } from '../../gate/index.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Catalog } from '../../tools/catalog.ts'
import type { ReceivedFile, ToolContext } from '../../tools/tool.ts'
import type { ApprovedLater } from '../changes/approved-later.ts'
import type { Changes } from '../changes/changes.ts'
import type { Confirmations } from '../confirmations/confirmations.ts'
import type { Grants } from '../confirmations/grants.ts'
import type { EffectsOf } from '../judge.ts'
import type { Judge, SeeingJudge } from '../judgement.ts'
import type { LookAgain } from '../look-again.ts'
import type { People } from '../people.ts'
import type { Plans } from '../plans/plans.ts'
import type { ExecutionStore, JournalProof } from '../ports.ts'
import type { Questions } from '../questions/questions.ts'
import type { Reconciled } from '../reconcile.ts'
import type { Ways } from '../way.ts'

/** A running call that a rule wants to have announced. `sentence`: the call, its asker, and the rule. Names in it are quoted. */
export type Observed = { toolUseId: string; sessionId: string; sentence: string }

/** The result of a call that was stopped while it waited to begin. */
export const notBegun = 'Stopped before it began. Nothing was run.'

/** The parts that the steps of a call need. */
export type StepParts = {
  ways: Ways
  judge: Judge
  seeingJudge: SeeingJudge
  /** Returns the outcome for the files that a call changes; undefined if no change had begun. */
  applied(toolUseId: string): Promise<Reconciled | undefined>
  /** Keeps files that a tool received in the session's own folder. @returns their paths there; a file that finds no room is left out */
  keepFiles(sessionId: string, files: readonly ReceivedFile[]): string[]
  /** Describes in sentences the state in which a change left a guest. @throws the signal's reason */
  leftOf(vmid: number, signal: AbortSignal): Promise<string>
  effectsOf: EffectsOf
  world: () => World
  confirmations: Confirmations
  grants: Pick<Grants, 'reserve' | 'revoke'>
  returns: Pick<ApprovedLater, 'reserve'>
  changes: Pick<Changes, 'contextOf'>
  plans: Pick<Plans, 'reserve'>
  questions: Pick<Questions, 'ask'>
  executions: ExecutionStore
  lookAgain: LookAgain
  proof: JournalProof
  decisions: Pick<Decisions, 'problem'>
  /** Returns why the approval of a call's card lacks the required signature; undefined if it lacks none. */
  unsigned(callId: string): string | undefined
  redactor: Redactor
  clock: Clock
  people: Pick<People, 'find'>
  /** Returns why the principal, who asked at `since` (Unix ms), may no longer ask; undefined if it may. */
  goneSince(asker: Principal, since: number): string | undefined
  cluster: Cluster
  /** Returns a function that reduces the cluster to the part that the principal's person may see; undefined: all of it. */
  sightOf(principal: Principal): ToolContext['sees']
  catalog: Pick<Catalog, 'get'>
  /** Announces to the operator a running call that one of their rules names. */
  observed(told: Observed): void
  /** Reports a tool's unexpected exception. */
  report(error: unknown, toolName: string): void
}
