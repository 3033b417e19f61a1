import type { Clock } from '../lib/clock.ts'
import type { Card, ToolCall } from '../protocol/index.ts'
import { describe, type Redactor, type World } from '../safety/index.ts'
import { type CallContext, driftOf, type Ready } from './call.ts'
import type { Confirmations } from './confirmations.ts'
import type { Judge, Judgement } from './judge.ts'
import type { Claim, Journal, StoredConfirmation, Transactions } from './ports.ts'

type Asked = NonNullable<ReturnType<Confirmations['get']>>

/** How a red call waits for a person: asked now, or taken up again after a restart. */
export function createAsking(parts: {
  judge: Judge
  world: () => World
  confirmations: Confirmations
  journal: Journal
  transactions: Transactions
  redactor: Redactor
  clock: Clock
  record(call: ToolCall, context: CallContext, rule: string): Record<string, unknown>
  claimOf(call: ToolCall, ready: Ready, context: CallContext): Claim
  /** Runs what was claimed with its approval; claims and runs what had to wait for its turn. */
  runClaimed(call: ToolCall, ready: Ready, context: CallContext): Promise<void>
  change(call: ToolCall, ready: Ready, context: CallContext): Promise<void>
  fail(call: ToolCall, context: CallContext, message: string): void
}) {
  const { judge, confirmations, journal, transactions, redactor, clock } = parts
  const { record, claimOf, runClaimed, change, fail } = parts

  /** Puts the call before a person and waits. */
  function ask(call: ToolCall, ready: Ready, context: CallContext): Promise<void> {
    const card = cardOf(call, ready, context)
    const confirmation = { card, sessionId: context.sessionId, runId: context.runId, bindingHash: ready.hash }
    let decided = Promise.resolve()
    transactions.atomically(() => {
      journal.append('call', { ...record(call, context, ready.verdict.rule), tier: 'red', bindingHash: ready.hash })
      decided = awaitDecision(confirmation, call, ready, context)
      context.append({ type: 'confirm_needed', ...card })
    })
    return decided
  }

  /** Goes on with a call that was put before a person earlier, before a restart. */
  async function resume(call: ToolCall, current: Judgement, asked: Asked, context: CallContext) {
    const stands = current.kind === 'ready' && current.hash === asked.bindingHash
    if (asked.resolution === undefined) {
      if (stands) await awaitDecision(asked, call, current, context)
      else withdraw(call, driftOf(current), context)
    } else if (asked.resolution.decision === 'approved') {
      if (stands) await change(call, current, context)
      else fail(call, context, `${driftOf(current)} Nothing was run.`)
    } else {
      const { at: _, ...resolution } = asked.resolution
      context.append({ type: 'confirm_resolved', toolUseId: call.toolUseId, ...resolution })
    }
  }

  function withdraw(call: ToolCall, note: string, context: CallContext) {
    transactions.atomically(() => {
      confirmations.cancel(call.toolUseId, 'jarvis', note)
      context.append({ type: 'confirm_resolved', toolUseId: call.toolUseId, decision: 'cancelled', by: 'jarvis', note })
    })
  }

  function awaitDecision(
    confirmation: StoredConfirmation,
    call: ToolCall,
    ready: Ready,
    context: CallContext,
  ): Promise<void> {
    const { toolUseId, toolName } = call
    let isNext = context.before === undefined
    void context.before?.then(() => {
      isNext = true
    })
    return new Promise<void>((settled, failed) => {
      const onAbort = () => {
        try {
          confirmations.cancel(toolUseId, context.abortedBy())
        } catch (error) {
          failed(error)
        }
      }
      confirmations.ask(confirmation, {
        recheck() {
          const current = judge(toolName, call.toolInput)
          return current.kind === 'ready' && current.hash === ready.hash ? undefined : driftOf(current)
        },
        claim: () => (isNext ? claimOf(call, ready, context) : undefined),
        about: () => record(call, context, ready.verdict.rule),
        record({ at: _, ...resolution }) {
          context.append({ type: 'confirm_resolved', toolUseId, ...resolution })
        },
        resolved({ decision }, claimed) {
          context.signal.removeEventListener('abort', onAbort)
          if (decision !== 'approved') settled()
          else (claimed ? runClaimed(call, ready, context) : change(call, ready, context)).then(settled, failed)
        },
      })
      if (context.signal.aborted) onAbort()
      else context.signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  function cardOf(call: ToolCall, { verdict, target, input }: Ready, context: CallContext): Card {
    const createdAt = clock.now()
    return {
      toolUseId: call.toolUseId,
      toolName: call.toolName,
      toolInput: redactor.value(input),
      tier: 'red',
      rule: verdict.rule,
      target,
      ...describe({ toolName: call.toolName, input }, target, parts.world(), verdict, createdAt),
      requestedBy: context.requestedBy,
      createdAt,
      expiresAt: confirmations.firstExpiry(context.sessionId, createdAt),
    }
  }

  return { ask, resume }
}
