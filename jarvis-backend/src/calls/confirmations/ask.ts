import { describe, type Redactor, type World } from '../../gate/index.ts'
import { taintRule } from '../../gate/policy/profile.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Card, ToolCall } from '../../protocol/index.ts'
import type { CallContext, Ready } from '../call.ts'
import type { Judge, SeeingJudge } from '../judge.ts'
import { callKey } from '../keys.ts'
import type { Journal, JournalProof, StoredConfirmation, Transactions } from '../ports.ts'
import type { Records } from '../records.ts'
import type { Confirmations } from './confirmations.ts'
import { type Standing, standingOf } from './drift.ts'

export type Asked = NonNullable<ReturnType<Confirmations['ofCall']>>
type Over = Extract<Standing, { kind: 'over' }>['judgement']

/** What a card shows that takes the place of another one. */
type Replacing = { toolUseId: string; changed: string }

/** How a red call waits for a person: asked now, asked again with what has changed, or taken up after a restart. */
export function createAsking(parts: {
  judge: Judge
  world: () => World
  confirmations: Confirmations
  journal: Journal
  transactions: Transactions
  redactor: Redactor
  clock: Clock
  proof: JournalProof
  records: Records
  seeingJudge: SeeingJudge
  /** Settles a call that cannot or must not run. */
  settleOver(call: ToolCall, judgement: Over, context: CallContext): void
  /** Runs what was claimed with its approval. */
  runClaimed(call: ToolCall, ready: Ready, context: CallContext): Promise<void>
  /** Runs an approved call that had to wait for its turn, or that asks nobody any more. */
  runApproved(call: ToolCall, card: Card, context: CallContext, approved?: { hash: string | undefined }): Promise<void>
}) {
  const { judge, confirmations, journal, transactions, redactor, clock, records } = parts

  /** Puts the call before a person and waits. `changed`: why an approval given before does not count any more. */
  function ask(call: ToolCall, ready: Ready, context: CallContext, changed?: string): Promise<void> {
    const replacing = changed === undefined ? undefined : { toolUseId: newId('tu'), changed }
    return wait(
      transactions.atomically(() => put(call, ready, context, replacing)),
      call,
      context,
    )
  }

  /** Writes a card down and shows it. */
  function put(call: ToolCall, ready: Ready, context: CallContext, replacing?: Replacing): StoredConfirmation {
    const { sessionId, runId } = context
    const { hash, input, target } = ready
    const card = cardOf(call, ready, context, replacing)
    const key = callKey({ toolName: call.toolName, input, target })
    const confirmation = { card, sessionId, runId, bindingHash: hash, callKey: key }
    journal.append('call', {
      ...records.record(call, context, ready),
      bindingHash: hash,
      ...(replacing !== undefined && { card: card.toolUseId, changed: card.changed }),
    })
    confirmations.add(confirmation)
    context.append({ type: 'confirm_needed', ...card })
    return confirmation
  }

  /** Goes on with a call that was put before a person earlier, before a restart. */
  async function resume(call: ToolCall, asked: Asked, context: CallContext) {
    const { card, resolution } = asked
    if (resolution?.decision === 'approved') {
      await parts.runApproved(call, card, context, { hash: parts.proof.approvedHash(card.toolUseId) })
    } else if (resolution !== undefined) {
      const { at: _, ...decided } = resolution
      context.append({ type: 'confirm_resolved', ...idsOf(card), ...decided })
    } else {
      const decided = wait(asked, call, context)
      decided.catch(() => {})
      // What else has changed is looked at when somebody approves: the cluster may not be known yet.
      const judged = await parts.seeingJudge(call.toolName, call.toolInput, context.sources)
      const isUnread = judged.kind === 'blocked' && judged.target?.unitMissing !== undefined
      if (judged.kind === 'blocked' && !isUnread) confirmations.review(card.toolUseId)
      await decided
    }
  }

  function wait(asked: StoredConfirmation, call: ToolCall, context: CallContext): Promise<void> {
    const { card } = asked
    const { toolUseId } = card
    let isNext = context.before === undefined
    void context.before?.then(() => {
      isNext = true
    })
    /** As it stood when somebody approved, and the card that took this one's place. */
    let standing: Standing | undefined
    let next: StoredConfirmation | undefined
    return new Promise<void>((settled, failed) => {
      const onAbort = () => {
        try {
          confirmations.cancel(toolUseId, context.abortedBy())
        } catch (error) {
          failed(error)
        }
      }
      confirmations.wait(asked, {
        recheck() {
          standing = standingOf(card, judge(call.toolName, call.toolInput, context.sources))
          if (standing.kind === 'stands') return undefined
          return {
            note: standing.changed,
            replacedBy: standing.kind === 'changed' ? newId('tu') : call.toolUseId,
          }
        },
        claim() {
          if (!isNext || standing?.kind !== 'stands' || standing.ready.verdict.tier === 'green') return undefined
          return records.claimOf(call, standing.ready, context)
        },
        about: () => (standing?.kind === 'stands' ? records.record(call, context, standing.ready) : {}),
        record({ at: _, ...resolution }, claimed) {
          context.append({ type: 'confirm_resolved', ...idsOf(card), ...resolution })
          if (claimed && standing?.kind === 'stands') records.started(call, standing.ready, context)
          const { replacedBy, note = '' } = resolution
          if (replacedBy === undefined) return
          if (standing?.kind === 'changed') {
            next = put(call, standing.ready, context, { toolUseId: replacedBy, changed: note })
          } else if (standing?.kind === 'over') parts.settleOver(call, standing.judgement, context)
        },
        resolved({ decision }, claimed) {
          context.signal.removeEventListener('abort', onAbort)
          if (next !== undefined) wait(next, call, context).then(settled, failed)
          else if (decision !== 'approved') settled()
          else if (claimed && standing?.kind === 'stands') {
            parts.runClaimed(call, standing.ready, context).then(settled, failed)
          } else parts.runApproved(call, card, context).then(settled, failed)
        },
      })
      if (context.signal.aborted) onAbort()
      else context.signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  function cardOf(
    call: ToolCall,
    { verdict, target, input, effects }: Ready,
    context: CallContext,
    replacing?: Replacing,
  ): Card {
    const createdAt = clock.now()
    const shown = redactor.value(input)
    return {
      toolUseId: replacing?.toolUseId ?? call.toolUseId,
      ...(replacing !== undefined && { callId: call.toolUseId, changed: redactor.text(replacing.changed) }),
      toolName: call.toolName,
      toolInput: shown,
      tier: 'red',
      rule: verdict.rule,
      target,
      ...redactor.value(describe(call.toolName, redactor.value([...effects]), parts.world(), verdict, createdAt)),
      requestedBy: context.requestedBy,
      ...(context.before !== undefined && { isAfterAnother: true }),
      ...(verdict.rule !== taintRule && { isGrantable: true }),
      createdAt,
      expiresAt: confirmations.firstExpiry(context.sessionId, createdAt),
    }
  }

  return { ask, resume }
}

const idsOf = ({ toolUseId, callId }: Card) => ({ toolUseId, ...(callId !== undefined && { callId }) })
