import type { Card, PlanFacts, Principal, ToolCall } from 'protocol'
import { rightsOf, withCauses } from '../../agent/principal.ts'
import { describe, type Redactor, type World } from '../../gate/index.ts'
import { mustAsk } from '../../gate/policy/profile.ts'
import type { Leads } from '../../tools/tool.ts'
import type { CallContext } from '../call.ts'
import { mayGoBack, undoFacts, undoOf } from '../changes/change.ts'
import type { Ready } from '../judgement.ts'
import type { People } from '../people.ts'
import { approvalsOf } from './approvals.ts'
import type { Replacing } from './drift.ts'

/** Additional time that a card has until an operator's screen shows it, ms. Its time to live begins after that. */
export const unseenForMs = 24 * 60 * 60_000

/** A call that asks a person. `replacing`: the call's earlier card, which this card replaces. */
type AskingCall = { call: ToolCall; ready: Ready; context: CallContext; replacing?: Replacing | undefined }
/** `expiresAt` is never before `createdAt`. Both are Unix ms. */
type CardParts = { redactor: Redactor; world: World; people: People; createdAt: number; expiresAt: number }

/** Makes the card of a call that a person must decide. */
export function cardOf(
  { call, ready, context, replacing }: AskingCall,
  { redactor, world, people, createdAt, expiresAt }: CardParts,
): Card {
  const { verdict, target, input, effects, preview } = ready
  const { now, then, affects, later, basis, leads, diff } = preview ?? {}
  const undo = undoOf(ready, world, redactor)
  const deed = deedOf(ready)
  const requestedBy = causedOf(ready, context)
  const approvals = approvalsOf(verdict.approve, people, requestedBy)
  // A plan, and a call that several people approve, need a decision each time.
  const isGrantable =
    !mustAsk(verdict.rule) && approvals === undefined && leads === undefined && rightsOf(context.principal).mayBeGranted
  const scope = isGrantable ? offered(ready, redactor) : undefined
  return {
    toolUseId: replacing?.replacedBy ?? call.toolUseId,
    ...(replacing !== undefined && { callId: call.toolUseId, changed: redactor.text(replacing.note) }),
    toolName: call.toolName,
    toolInput: redactor.value(input),
    tier: 'red',
    rule: verdict.rule,
    target,
    ...redactor.value(
      describe({ toolName: call.toolName, effects: redactor.value([...effects]), verdict }, world, createdAt),
    ),
    ...redactor.value({ ...(now && { now }), ...(then && { then }), ...(affects && { affects }) }),
    ...(deed !== undefined && { deed: redactor.text(deed) }),
    undo: redactor.value(undoFacts(undo)),
    ...(mayGoBack(ready, undo) && { mayGoBack: true }),
    ...(later && { later: { sentence: redactor.text(later.sentence), at: later.at } }),
    ...(basis && { basis }),
    ...(diff && { diff: redactor.value([...diff]) }),
    ...(leads && { plan: redactor.value(planOf(call, leads, ready)) }),
    requestedBy,
    ...(context.before !== undefined && { isAfterAnother: true }),
    ...(rightsOf(context.principal).hasModel && { mayHaveAlternative: true }),
    ...(verdict.proof && { proof: verdict.proof }),
    ...(approvals && { approvals }),
    ...(isGrantable && { isGrantable }),
    ...(scope && { scope }),
    createdAt,
    expiresAt,
  }
}

/** Returns the principal that asks for a call, together with the author of the text that the call follows. */
export const causedOf = (
  { preview }: Pick<Ready, 'preview'>,
  { principal }: Pick<CallContext, 'principal'>,
): Principal => withCauses(principal, [preview?.leads?.text?.writtenBy])

/** Returns the narrowest folder or website for which a grant can be made; undefined if the card could not show its name in full. */
function offered({ grantScopes: [scope] }: Ready, redactor: Redactor): Card['scope'] {
  if (scope === undefined || scope.id.length > 200) return undefined
  const { id, words } = scope
  return redactor.text(`${id} ${words}`) === `${id} ${words}` ? { id, words } : undefined
}

/**
 * Returns the label of the button that approves: the effect's label, or else the tool's title. Undefined for an attached server's tool, because that
 * server wrote its title.
 */
function deedOf({ effects, tool }: Pick<Ready, 'effects' | 'tool'>): string | undefined {
  if (tool.attached !== undefined) return undefined
  return effects[0]?.deed ?? tool.title.replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase())
}

/** Returns the plan as the card shows it: its steps, with the tiers that they have for the asker. */
const planOf = ({ toolUseId: id }: ToolCall, { facts }: Leads, { led = [] }: Ready): PlanFacts => ({
  ...facts,
  id,
  steps: facts.steps.map((step) => {
    const tier = led.find(({ number }) => number === step.number)?.verdict.tier
    return tier === undefined || tier === 'black' ? step : { ...step, tier }
  }),
})

/** Returns the ids by which a transcript entry names a card. */
export const idsOf = ({ toolUseId, callId }: Card) => ({ toolUseId, callId })
