import type { World } from '../gate/index.ts'
import type { Card, Target, ToolCall } from '../protocol/index.ts'
import { createBreaker } from './breaker.ts'
import type { CallContext, Ready } from './call.ts'
import { createAsking } from './confirmations/ask.ts'
import type { Confirmations } from './confirmations/confirmations.ts'
import { standingOf } from './confirmations/drift.ts'
import type { Grants, Reservation } from './confirmations/grants.ts'
import { type createEffectsOf, type Judge, type Judgement, locksOf, type SeeingJudge } from './judge.ts'
import { callKey } from './keys.ts'
import type { LookAgain } from './look-again.ts'
import { createPerformer } from './perform.ts'
import type { ImageStore, JournalProof } from './ports.ts'
import { createRateLimit } from './rate-limit.ts'
import type { Reconciled } from './reconcile.ts'
import { byGrant, createRecords } from './records.ts'
import { createRecovery, mayHaveRun, type RecoveryParts } from './recover.ts'
import { rightsOf } from './rights.ts'

/** The door to every effect: judges, asks, claims, journals, runs, and settles each call exactly once. */
export type Executor = {
  /** Resolves once the call has its result, refusal or denial in the transcript. Never rejects for a call's own fault. */
  settle(call: ToolCall, context: CallContext): Promise<void>
  /** Looks again for a call whose outcome is not known. @throws JarvisError `not_found`, `already_decided`. */
  check(toolUseId: string): Promise<Reconciled>
  /** What only one call at a time may change, of those that this one would change. */
  locksOf(call: ToolCall): readonly string[]
  /** Resolves once no tool is running. */
  idle(): Promise<void>
}

/** A change that waited for nothing follows its verdict within that. */
const justJudgedMs = 250

export function createExecutor(
  parts: RecoveryParts & {
    judge: Judge
    world: () => World
    confirmations: Confirmations
    grants: Grants
    lookAgain: LookAgain
    seeingJudge: SeeingJudge
    effectsOf: ReturnType<typeof createEffectsOf>
    images: ImageStore
    proof: JournalProof
    /** A tool failed in a way it did not name. */
    report(error: unknown, toolName: string): void
  },
): Executor {
  const { judge, world, confirmations, grants, executions, journal, transactions, clock, report } = parts

  const records = createRecords(parts)
  const { record, refuse, fail } = records
  const breaker = createBreaker(() => world().policy.limits.breaker, clock.now)
  const { recover, check, findOut } = createRecovery(parts)
  const performer = createPerformer({
    ...parts,
    records,
    breaker,
    findOut,
    run: ({ tool, input }, context) => tool.run(input, context),
  })
  const { read, runClaimed } = performer
  const { ask, resume } = createAsking({ ...parts, records, settleOver, runClaimed, runApproved })
  const rateLimit = createRateLimit(() => world().policy.limits.rates, clock.now)

  async function settle(call: ToolCall, context: CallContext): Promise<void> {
    try {
      await attempt(call, context)
    } catch (error) {
      report(error, call.toolName)
      const truth = executions.get(call.toolUseId) === undefined ? 'Nothing was run.' : mayHaveRun
      fail(call, context, `Something went wrong inside JARVIS; the log says more. ${truth}`)
    }
  }

  async function attempt(call: ToolCall, context: CallContext): Promise<void> {
    const { toolUseId, toolName } = call
    const claimed = executions.get(toolUseId)
    if (claimed !== undefined) {
      await recover(call, claimed, context)
      return
    }
    if (call.malformed !== undefined) {
      fail(call, context, `The arguments of ${toolName} could not be read: ${call.malformed}`)
      return
    }
    const asked = confirmations.ofCall(toolUseId)
    if (asked !== undefined) {
      await resume(call, asked, context)
      return
    }
    if (parts.cluster.catchUp !== undefined) await parts.cluster.catchUp()
    const judgement = await parts.seeingJudge(call.toolName, call.toolInput, context.sources, context.requestedBy.kind)
    const hold =
      judgement.kind === 'ready'
        ? (rateLimit.take(context.sessionId, toolName, judgement.tool.tier !== 'green') ??
          breaker.refusal(toolName, judgement.target.node))
        : undefined
    if (hold === undefined) await dispatch(call, judgement, context)
    else fail(call, context, hold, judgement)
  }

  const judgeNow = (call: ToolCall, context: CallContext) =>
    judge(call.toolName, call.toolInput, context.sources, context.requestedBy.kind)

  /** Does with a call what its verdict says. */
  async function dispatch(call: ToolCall, judgement: Judgement, context: CallContext): Promise<void> {
    if (judgement.kind !== 'ready') settleOver(call, judgement, context)
    else if (judgement.verdict.tier === 'green') await read(call, judgement, context)
    else if (context.isRehearsal()) records.rehearse(call, context, judgement)
    else if (judgement.verdict.tier === 'yellow') await change(call, judgement, context)
    else await obtain(call, judgement, context)
  }

  function settleOver(call: ToolCall, judgement: Exclude<Judgement, { kind: 'ready' }>, context: CallContext) {
    if (judgement.kind === 'blocked') refuse(call, context, judgement)
    else fail(call, context, judgement.message, judgement)
  }

  /** A red call: not where it was denied before, at once where a grant covers it, else by asking. */
  async function obtain(call: ToolCall, ready: Ready, context: CallContext) {
    const { verdict, target, input } = ready
    const { sessionId, runId, requestedBy } = context
    const key = callKey({ toolName: call.toolName, input, target })
    const { deniedForMs } = rightsOf(requestedBy.kind)
    const isRun = deniedForMs === undefined
    const denial = confirmations.denied(key, isRun ? { runId } : { sessionId, since: clock.now() - deniedForMs })
    if (denial !== undefined) {
      const when = isRun ? 'in this run' : `within the last ${deniedForMs / 60_000} minutes`
      const note = denial.note === undefined ? '' : `: ${denial.note}`
      const back = isRun ? '' : ' An operator can take the denial back on the page Waiting.'
      const message = `Denied by ${denial.by} ${when}${note}. It is not asked again; other arguments may be.${back} Nothing was run.`
      fail(call, context, message, ready, 'denied_before')
      return
    }
    const reservation = grants.reserve(key, { rule: verdict.rule, target, requestedBy })
    const isAnother = reservation !== undefined && wasMadeAnew(target, reservation.grant.createdAt)
    if (isAnother) {
      reservation.release()
      grants.revoke(reservation.grant.id, 'jarvis')
    }
    if (reservation === undefined || isAnother) {
      await ask(call, ready, context)
      return
    }
    try {
      await change(call, ready, context, reservation)
    } finally {
      reservation.release()
    }
  }

  /** Claims and runs what nobody must be asked about, when its turn has come: as it was judged, or judged anew. */
  async function change(call: ToolCall, ready: Ready, context: CallContext, reservation?: Reservation) {
    const turn = await comesItsTurn(call, ready.target, context)
    if (turn === 'over') return
    if (turn === 'later' && !isSame(ready, judgeNow(call, context), context)) {
      reservation?.release()
      await dispatch(call, judgeNow(call, context), context)
    } else if (claim(call, ready, context, reservation)) {
      reservation?.release()
      await runClaimed(call, ready, context)
    } else await obtain(call, ready, context)
  }

  /**
   * What an operator approved, when its turn has come: a person sees it anew where it is not what the card showed.
   * @param approved given where the approval was read from the store: the hash that the journal has it bound to
   */
  async function runApproved(
    call: ToolCall,
    card: Card,
    context: CallContext,
    approved?: { hash: string | undefined },
  ) {
    if ((await comesItsTurn(call, card.target, context)) === 'over') return
    const standing = standingOf(card, judgeNow(call, context))
    const isUnproven = approved !== undefined && standing.kind === 'stands' && approved.hash !== standing.ready.hash
    if (standing.kind === 'over') settleOver(call, standing.judgement, context)
    else if (isUnproven && standing.ready.verdict.tier === 'red') {
      await ask(call, standing.ready, context, 'The journal has no approval of this card, so it does not count.')
    } else if (standing.kind === 'changed') await ask(call, standing.ready, context, standing.changed)
    else if (standing.ready.verdict.tier === 'green') await read(call, standing.ready, context)
    else if (context.isRehearsal()) records.rehearse(call, context, standing.ready)
    else {
      claim(call, standing.ready, context)
      await runClaimed(call, standing.ready, context)
    }
  }

  /**
   * Waits for the earlier changes to the same guest, and then reads the cluster again.
   * @returns `later` where things may have changed meanwhile; `over` where the call has its result.
   */
  async function comesItsTurn(call: ToolCall, target: Target, context: CallContext): Promise<'now' | 'later' | 'over'> {
    if (context.before !== undefined) await context.before
    const looking = context.signal.aborted
      ? undefined
      : parts.lookAgain(call, target, context.before === undefined ? justJudgedMs : 0)
    try {
      await looking
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      fail(call, context, `What is so now could not be read, so nothing was run. ${why}`)
      return 'over'
    }
    if (context.signal.aborted) {
      fail(call, context, 'Stopped before it began. Nothing was run.')
      return 'over'
    }
    return context.before === undefined && looking === undefined ? 'now' : 'later'
  }

  /** @returns false where the grant has ended since; nothing is written then. */
  function claim(call: ToolCall, ready: Ready, context: CallContext, reservation?: Reservation): boolean {
    return transactions.durably(() => {
      if (reservation?.take(call.toolUseId, context.sessionId) === false) return false
      const claimed = records.claimOf(call, ready, context)
      executions.claim(claimed)
      journal.append('execution', { ...record(call, context, ready), ...claimed, ...byGrant(reservation) })
      records.started(call, ready, context, reservation)
      return true
    })
  }

  return {
    settle,
    check,
    locksOf: ({ toolName, toolInput }) => locksOf(parts.effectsOf(toolName, toolInput)),
    idle: performer.idle,
  }
}

/** Whether another guest may have taken this one's number and name since. */
const wasMadeAnew = ({ madeAt }: Target, since: number) =>
  // Proxmox tells whole seconds.
  madeAt !== undefined && madeAt > since - 1_000

/** Whether a call comes to the same as before, after it waited for its turn. */
const isSame = (ready: Ready, current: Judgement, context: CallContext) =>
  current.kind === 'ready' &&
  current.hash === ready.hash &&
  current.target.name === ready.target.name &&
  current.target.madeAt === ready.target.madeAt &&
  current.verdict.tier === ready.verdict.tier &&
  current.verdict.rule === ready.verdict.rule &&
  !context.isRehearsal()
