import { describe, type Redactor, type World } from '../../gate/index.ts'
import { mustAsk } from '../../gate/policy/profile.ts'
import type { Card, ToolCall } from '../../protocol/index.ts'
import type { CallContext, Ready } from '../call.ts'
import { mayGoBack, undoFacts, undoOf } from '../changes/change.ts'
import type { Replacing } from './drift.ts'

/** How long a card waits for an operator's screen to show it, in addition to its time to live. */
export const unseenForMs = 24 * 60 * 60_000

/** The card of a call that a person must decide. @param parts `expiresAt`: a time of `createdAt` or later, in ms */
export function cardOf(
  call: ToolCall,
  ready: Ready,
  context: CallContext,
  parts: { redactor: Redactor; world: World; createdAt: number; expiresAt: number },
  replacing?: Replacing,
): Card {
  const { redactor, world, createdAt, expiresAt } = parts
  const { verdict, target, input, effects, preview } = ready
  const { now, then, affects, later, basis } = preview ?? {}
  const undo = undoOf(ready, world, redactor)
  return {
    toolUseId: replacing?.replacedBy ?? call.toolUseId,
    ...(replacing !== undefined && { callId: call.toolUseId, changed: redactor.text(replacing.note) }),
    toolName: call.toolName,
    toolInput: redactor.value(input),
    tier: 'red',
    rule: verdict.rule,
    target,
    ...redactor.value(describe(call.toolName, redactor.value([...effects]), world, verdict, createdAt)),
    ...redactor.value({ ...(now && { now }), ...(then && { then }), ...(affects && { affects }) }),
    undo: redactor.value(undoFacts(undo)),
    ...(mayGoBack(ready, undo) && { mayGoBack: true }),
    ...(later && { later: { sentence: redactor.text(later.sentence), at: later.at } }),
    ...(basis && { basis }),
    requestedBy: context.principal,
    ...(context.before !== undefined && { isAfterAnother: true }),
    ...(!mustAsk(verdict.rule) && { isGrantable: true }),
    createdAt,
    expiresAt,
  }
}

/** The ids that an entry names a card by. */
export const idsOf = ({ toolUseId, callId }: Card) => ({ toolUseId, ...(callId !== undefined && { callId }) })
