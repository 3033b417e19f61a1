import type { Card, ConfirmationRow, DecisionProof } from 'protocol'
import { Suspense, useLayoutEffect, useRef } from 'react'
import { signedIn } from '../api/auth.ts'
import { confirmations, useConfirmations } from '../api/confirmations.ts'
import { useStatus } from '../api/status.ts'
import { type Call, endOf } from '../features/chat/runs.ts'
import { Age } from '../features/cluster/parts.tsx'
import { useCluster } from '../features/cluster/store.ts'
import type { Hand } from '../features/confirmations/answer.tsx'
import { ConfirmationCard } from '../features/confirmations/card.tsx'
import type { LiveTarget } from '../features/confirmations/facts.tsx'
import { type Matter, withExpiryOf } from '../features/confirmations/phase.ts'
import { commandLine } from '../features/confirmations/sentence.ts'
import { withUnit } from '../lib/format.ts'
import { useValue } from '../lib/use-value.ts'
import { Value } from '../lib/value.ts'
import { useNow } from '../ui/use-now.ts'
import { CompareLinkOf } from './changes/compare-link.tsx'
import { later } from './later.tsx'
import { live } from './live.ts'
import { targetWords } from './target-words.ts'
import { UnknownOutcome } from './unknown-outcome.tsx'

const BreakGlass = later(() => import('./break-glass.tsx').then((part) => part.BreakGlass))

const decidedHere = new Set<string>()

/** Marks a card as decided on this page, so that it is not announced as decided elsewhere. @returns removes the mark */
export function markDecided(toolUseId: string): () => void {
  decidedHere.add(toolUseId)
  return () => decidedHere.delete(toolUseId)
}

export function matterOf(call: Call, sessionId: string, progress: string | undefined): Matter | undefined {
  const { needed, resolved, started } = call
  const result = endOf(call)
  if (needed === undefined) return undefined
  return {
    card: needed,
    sessionId,
    resolved,
    ...(started !== undefined && { startedAt: started.at }),
    progress,
    result,
  }
}

/** Makes the view of a card from its row in the list of confirmations, without its session's transcript. */
export function matterOfRow(row: ConfirmationRow): Matter {
  const { decision, decidedBy, decidedAt, note, replacedBy } = row
  return {
    card: row,
    sessionId: row.sessionId,
    ...(decision !== undefined && {
      resolved: {
        decision,
        by: decidedBy ?? 'operator',
        at: decidedAt ?? row.createdAt,
        note,
        replacedBy,
      },
    }),
  }
}

/** Earlier cards of the same call, each with its decision. */
export const replacedOf = (call: Call, sessionId: string): Matter[] =>
  (call.replaced ?? []).map(({ needed, resolved }) => ({ card: needed, sessionId, resolved }))

/** A card with the live state of its target and the buttons that this person may use. */
export function LiveCard({ matter: asked }: { matter: Matter }) {
  const { state } = useCluster()
  const matter = withExpiryOf(asked, useConfirmations()?.pending)
  const sawPending = useRef(matter.resolved === undefined)
  const target = useLiveTarget(matter.card)
  const hand = useHand(matter.sessionId)
  const isOwner = useValue(signedIn)?.rank === 'owner'
  const mayBreakGlass = useStatus()?.policy.mayBreakGlass === true && isOwner && hand.rest === undefined
  const { resolved, card } = matter
  const isElsewhere =
    sawPending.current &&
    (resolved?.decision === 'approved' || resolved?.decision === 'denied') &&
    !decidedHere.has(card.toolUseId)
  return (
    <ConfirmationCard
      matter={matter}
      live={target}
      guests={state?.guests ?? []}
      hand={hand}
      unknownOf={(toolUseId, observed) => <UnknownOutcome toolUseId={toolUseId} observed={observed} />}
      unknown={<UnknownOutcome toolUseId={card.toolUseId} observed={matter.result?.summary ?? ''} />}
      isElsewhere={isElsewhere}
      {...(mayBreakGlass &&
        matter.card.approvals !== undefined && {
          alone: (
            <Suspense fallback={null}>
              <BreakGlass toolUseId={matter.card.toolUseId} />
            </Suspense>
          ),
        })}
      {...(card.plan !== undefined && {
        stepCard: (toolUseId: string) => <StepCard toolUseId={toolUseId} />,
        compareOf: (changeId: string) => <CompareLinkOf id={changeId} />,
        onUndoPlan: (id: string) => void live.chat.send(matter.sessionId, `/undo_plan plan=${JSON.stringify(id)}`),
      })}
    />
  )
}

/** Ids of the calls whose cards are shown inside a plan's card, so that the chat does not show them a second time. */
const inPlans = new Value<ReadonlySet<string>>(new Set())

/** True if a plan's card on this page shows the card of this call. */
export const useIsInPlan = (toolUseId: string): boolean => useValue(inPlans).has(toolUseId)

/** The card of a plan's step, inside the plan's card. */
function StepCard({ toolUseId }: { toolUseId: string }) {
  const row = useConfirmations()?.pending.find((one) => (one.callId ?? one.toolUseId) === toolUseId)
  useLayoutEffect(() => {
    inPlans.set(new Set([...inPlans.get(), toolUseId]))
    return () => inPlans.set(new Set([...inPlans.get()].filter((id) => id !== toolUseId)))
  }, [toolUseId])
  return row === undefined ? null : <LiveCard matter={matterOfRow(row)} />
}

function useHand(sessionId: string): Hand {
  const role = useValue(signedIn)?.role
  const link = useValue(live.link.value)
  const decide: Hand['decide'] = async (card, choice) => {
    const { toolUseId } = card
    const { confirmed, grant, goesBackAfterMin } = choice
    let proof: DecisionProof | undefined
    try {
      if (confirmed && card.proof !== undefined) {
        const { signApproval } = await import('../api/sign-approval.ts')
        proof = await signApproval(card, { grant, ...(goesBackAfterMin && { goesBackAfterMin }) })
      }
    } catch (error) {
      return error instanceof Error ? error.message : 'It could not be signed.'
    }
    const unmark = markDecided(toolUseId)
    const reply = await live.chat.confirm(sessionId, toolUseId, { ...choice, proof })
    confirmations.renew()
    if (reply.ok) return undefined
    unmark()
    return reply.error.message
  }
  if (role !== 'operator') return { decide, rest: { why: 'An operator can do this.' } }
  const askAgain = ({ toolName, toolInput }: Card, force: boolean) => {
    void live.chat.send(sessionId, commandLine(toolName, force ? { ...toolInput, force } : toolInput))
  }
  if (link.status === 'live') return { decide, askAgain }
  return { decide, rest: { why: <NoLink />, tryNow: live.link.tryNow } }
}

function NoLink() {
  const link = useValue(live.link.value)
  const left = Math.ceil(((link.status === 'live' ? 0 : (link.retryAt ?? 0)) - useNow(1_000)) / 1_000)
  return (
    <span>
      No connection. You can decide when it is back
      {left > 0 ? `; trying again in ${withUnit(left, 's')}.` : '; trying now.'}
    </span>
  )
}

/** The card's target in the current cluster state; undefined until the first state has arrived. */
function useLiveTarget({ target }: Card): LiveTarget | undefined {
  const { state, heardAt, isLive } = useCluster()
  if (state === undefined) return undefined
  return { ...targetWords(target, state), age: <Age heardAt={heardAt} isLive={isLive} /> }
}
