import { useId, useLayoutEffect, useRef } from 'react'
import { Expiry } from '../../ui/countdown.tsx'
import type { Hand } from './answer.tsx'
import { ExactCall } from './exact-call.tsx'
import type { LiveTarget } from './facts.tsx'
import { Executing, Settled } from './outcome.tsx'
import { Pending } from './pending.tsx'
import { type Matter, phaseOf } from './phase.ts'
import { PlanGoal } from './plan.tsx'
import { PlanProgress, planHeading, usePlanRun } from './plan-progress.tsx'
import { actOf } from './sentence.ts'
import { Sentence } from './sentence-line.tsx'

export type CardProps = {
  matter: Matter
  live?: LiveTarget | undefined
  /** All known guests, to find lookalike names. */
  guests: readonly { vmid: number; name: string }[]
  hand: Hand
  /** Explains an unknown outcome and offers a check. */
  unknown: React.ReactNode
  /** Explains an unknown outcome of a plan's step and offers a check. */
  unknownOf: (toolUseId: string, observed: string) => React.ReactNode
  /** The card of a plan's step that needs its own decision. */
  stepCard?: (toolUseId: string) => React.ReactNode
  /** A link that compares the present state with a change that an undo plan's step could not take back. */
  compareOf?: (changeId: string) => React.ReactNode
  /** Content below the buttons, for a person who may decide without others. */
  alone?: React.ReactNode
  /** Asks for the plan that undoes a plan. */
  onUndoPlan?: (id: string) => void
  /** True if somebody else decided while this page showed the card as waiting. */
  isElsewhere?: boolean
}

/** A card: one red call that waits for a person, and later its outcome. The goal of a plan is shown above its card. */
export function ConfirmationCard(props: CardProps) {
  const { plan } = props.matter.card
  return (
    <>
      {plan?.goal !== undefined && <PlanGoal plan={plan} />}
      <CardFrame {...props} />
    </>
  )
}

/** The frame of a card. It keeps its place and its focus in all phases. */
function CardFrame({ matter, live, guests, hand, unknown, unknownOf, isElsewhere = false, ...ofPlan }: CardProps) {
  const { card } = matter
  const phase = phaseOf(matter)
  const act = actOf(card)
  const root = useRef<HTMLElement>(null)
  const title = useId()
  const hadFocus = useRef(false)
  const { plan } = card
  const isBegun = phase !== 'pending' && matter.resolved?.decision === 'approved'
  const run = usePlanRun(plan, isBegun).data

  // A removed part may have had the focus. Keep the focus on the card.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new phase is what may drop the focus
  useLayoutEffect(() => {
    const active = document.activeElement
    if (hadFocus.current && (active === null || active === document.body)) root.current?.focus({ preventScroll: true })
  }, [phase])

  const frame = {
    ref: root,
    tabIndex: 0,
    'aria-labelledby': title,
    id: `card-${card.toolUseId}`,
    onFocus: () => {
      hadFocus.current = true
    },
    onBlur: () => {
      setTimeout(() => {
        hadFocus.current = root.current?.contains(document.activeElement) ?? false
      })
    },
  }
  const heading = (pieces: typeof act.ask) => (
    <h2 id={title}>
      <Sentence pieces={pieces} />
    </h2>
  )

  if (phase === 'pending') {
    return (
      <article {...frame} className="card risk-edge" data-pending={card.toolUseId}>
        <header>
          {heading(act.ask)}
          <Expiry from={card.createdAt} until={card.expiresAt} />
        </header>
        <Pending {...{ card, live, guests, hand, act, root, hadFocus }} alone={ofPlan.alone} />
      </article>
    )
  }
  if (run !== undefined) {
    const isUnderWay = run.state === 'running' || run.state === 'asks'
    return (
      <article {...frame} className={`card ${isUnderWay ? 'risk-edge' : 'settled'}`}>
        <header>{heading([planHeading(run)])}</header>
        <PlanProgress
          run={run}
          mayStop={hand.rest === undefined}
          unknownOf={unknownOf}
          stepCard={ofPlan.stepCard}
          compareOf={ofPlan.compareOf}
          onUndo={ofPlan.onUndoPlan}
        />
      </article>
    )
  }
  if (phase === 'executing' && !isElsewhere) {
    return (
      <article {...frame} className="card risk-edge">
        <header>{heading(act.doing)}</header>
        {plan === undefined && <ExactCall card={card} isFirst />}
        <Executing matter={matter} />
      </article>
    )
  }
  const pieces =
    { executing: act.doing, done: act.did, failed: act.failed, interrupted: act.interrupted }[phase as 'done'] ??
    act.didNot
  return (
    <article {...frame} className="card settled">
      <header>{heading(pieces)}</header>
      <Settled matter={matter} phase={phase} isElsewhere={isElsewhere} unknown={unknown} askAgain={hand.askAgain} />
    </article>
  )
}
