import { describe, legible, type Redactor, type World } from '../gate/index.ts'
import { hashOf } from '../lib/canonical.ts'
import type { Clock } from '../lib/clock.ts'
import type { ToolCall } from '../protocol/index.ts'
import type { CallContext, Ready } from './call.ts'
import type { Reservation } from './confirmations/grants.ts'
import type { Judgement } from './judge.ts'
import type { Claim, Journal, Transactions } from './ports.ts'

type Judged = Pick<Judgement, 'verdict'> & Partial<Pick<Ready, 'target'>>

/** What the journal and the transcript say of a call, and the ends of calls that never start. */
export type Records = ReturnType<typeof createRecords>

export function createRecords(parts: {
  journal: Journal
  transactions: Transactions
  redactor: Redactor
  clock: Clock
  world: () => World
}) {
  const { journal, transactions, redactor, clock } = parts

  /** Who asked for what, and what the gate made of it. @param rule in place of the verdict's */
  function record(call: ToolCall, context: CallContext, judged?: Judged, rule?: string) {
    const { verdict, target } = judged ?? {}
    const { policy, cluster } = parts.world()
    const vmid = target?.vmid
    const tags = vmid === undefined ? [] : (cluster.guests.find((guest) => guest.vmid === vmid)?.tags ?? [])
    return {
      toolUseId: call.toolUseId,
      sessionId: context.sessionId,
      toolName: call.toolName,
      toolInput: redactor.value(call.toolInput),
      inputHash: hashOf(call.toolInput),
      ...(target !== undefined && target.kind !== 'none' && { target: redactor.value(target) }),
      // With these a policy can be tried out on what was asked.
      ...(tags.length > 0 && { tags }),
      ...(policy.profile !== 'balanced' && { profile: policy.profile }),
      requestedBy: context.requestedBy,
      ...(verdict !== undefined && { tier: verdict.tier }),
      rule: rule ?? verdict?.rule,
    }
  }

  function claimOf(call: ToolCall, { verdict, hash }: Ready, { sessionId, runId }: CallContext): Claim {
    return {
      toolUseId: call.toolUseId,
      sessionId,
      runId,
      toolName: call.toolName,
      toolInput: redactor.value(call.toolInput),
      tier: verdict.tier,
      bindingHash: hash,
      at: clock.now(),
    }
  }

  /** Says in the transcript that the call runs now; of a change, in its claim's transaction. */
  function started(call: ToolCall, { input, verdict }: Ready, context: CallContext, reservation?: Reservation) {
    const { toolUseId, toolName } = call
    const toolInput = redactor.value(input)
    context.append({
      type: 'tool_use',
      toolUseId,
      toolName,
      toolInput,
      tier: verdict.tier,
      ...byGrant(reservation),
    })
  }

  /** Black: the rules refuse it. */
  function refuse(call: ToolCall, context: CallContext, judged: Extract<Judgement, { kind: 'blocked' }>) {
    const { rule, reason } = judged.verdict
    transactions.atomically(() => {
      journal.append('refusal', record(call, context, judged))
      context.append({
        type: 'blocked',
        toolUseId: call.toolUseId,
        toolName: call.toolName,
        toolInput: redactor.value(call.toolInput),
        reason: redactor.text(reason),
        rule,
        tier: 'black',
      })
    })
  }

  /** A call that never started: its result says why. @param rule what the journal calls it */
  function fail(call: ToolCall, context: CallContext, message: string, judged?: Judged, rule = 'not_run') {
    const result = redactor.text(legible(message))
    transactions.atomically(() => {
      journal.append('refusal', record(call, context, judged, rule))
      context.append({ type: 'tool_result', ...resultOf(call), result, isError: true, summary: result })
    })
  }

  /** In a rehearsal: what would run, and nothing does. */
  function rehearse(call: ToolCall, context: CallContext, ready: Ready) {
    const { verdict, target, input, effects } = ready
    const { toolName } = call
    const { now, then, affects } = describe(toolName, effects, parts.world(), verdict, clock.now())
    const asks = verdict.tier === 'red' ? 'would wait for the operator, then run' : 'would run at once'
    const on = target.kind === 'none' ? '' : ` on ${target.id}`
    const text = [
      `Rehearsal: nothing was run. ${toolName} ${JSON.stringify(input)}${on} ${asks} (${verdict.tier}).`,
      `Why: ${verdict.reason}`,
      `Now: ${now}`,
      `Then: ${then}`,
      `Affects: ${affects}`,
    ].join('\n')
    transactions.atomically(() => {
      journal.append('call', { ...record(call, context, ready), outcome: 'rehearsed' })
      context.append({
        type: 'tool_result',
        ...resultOf(call),
        result: redactor.text(text),
        isError: false,
        summary: redactor.text(`Rehearsal, nothing was run: ${asks}. ${then}`),
        isRehearsal: true,
      })
    })
  }

  return { record, claimOf, started, refuse, fail, rehearse }
}

/** The grant that lets a call run, for the record. */
export const byGrant = (reservation: Reservation | undefined) =>
  reservation === undefined ? {} : { grantId: reservation.grant.id, by: reservation.grant.by }

const resultOf = ({ toolUseId }: ToolCall) => ({ toolUseId, durationMs: 0 })
