import type { Card } from 'protocol'
import { Fragment, lazy, type RefObject, Suspense, useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Answer, type Hand } from './answer.tsx'
import { approvalHeld, approvedWords } from './approvals.ts'
import { Asker, ForPerson } from './asker.tsx'
import { ExactCall } from './exact-call.tsx'
import { Facts, type LiveTarget } from './facts.tsx'
import { linesHeld } from './file-steps.ts'
import { firstUnseen, PlanFactsList, PlanSteps, PlanStrip, useSeenSteps } from './plan.tsx'
import type { Act } from './sentence.ts'
import { Signs } from './signs.tsx'
import { warningsOf } from './warnings.ts'

const FileDiffs = lazy(() => import('./file-diffs.tsx').then((part) => ({ default: part.FileDiffs })))

type Props = {
  card: Card
  live: LiveTarget | undefined
  /** All known guests, to find lookalike names. */
  guests: readonly { vmid: number; name: string }[]
  hand: Hand
  act: Act
  root: RefObject<HTMLElement | null>
  hadFocus: RefObject<boolean>
  /** Content below the buttons, for a person who may decide without others. */
  alone: React.ReactNode
}

/** The part of a waiting card below its question: facts, warnings, buttons. */
export function Pending({ card, live, guests, hand, act, root, hadFocus, alone }: Props) {
  const { plan } = card
  const [readChange, setReadChange] = useState<string>()
  const [unseenLines, setUnseenLines] = useState(0)
  const seen = useSeenSteps(root, plan !== undefined)
  const own = useValue(signedIn)?.id
  const change = live?.change
  const isLocked = change !== undefined && change !== readChange
  const warnings = warningsOf(card, guests)
  const next = plan && firstUnseen(plan, seen)
  return (
    <>
      {plan === undefined ? (
        <>
          <Facts card={card} live={live} what={act.what} />
          {card.diff !== undefined && (
            <Suspense fallback={null}>
              <FileDiffs card={card} onUnseen={setUnseenLines} />
            </Suspense>
          )}
          <ExactCall card={card} />
        </>
      ) : (
        <PlanFactsList card={card} plan={plan} />
      )}
      {card.changed !== undefined && (
        <Banner>
          Asked anew, for it changed: <Visible text={card.changed} />
        </Banner>
      )}
      {change !== undefined && (
        <Banner>
          <Visible text={change} />
        </Banner>
      )}
      {warnings.map((warning) => (
        <Banner key={warning}>{warning}</Banner>
      ))}
      <Approvals card={card} />
      {card.proof !== undefined && <Signs mayDecide={hand.rest === undefined} />}
      {plan !== undefined && <PlanSteps plan={plan} />}
      <div className={plan === undefined ? '' : 'plan-acts'}>
        {plan !== undefined && <PlanStrip plan={plan} seen={seen} root={root} />}
        <Answer
          root={root}
          card={card}
          act={act}
          hand={hand}
          hadFocus={hadFocus}
          isGrantable={card.isGrantable === true && act.typed === undefined && warnings.length === 0}
          onRead={isLocked ? () => setReadChange(change) : undefined}
          held={next === undefined ? (approvalHeld(card, own) ?? linesHeld(unseenLines)) : `step ${next} not seen yet`}
          by={
            <>
              <Asker card={card} />
              <ForPerson id={card.requestedBy.person} />
            </>
          }
        />
        {alone}
      </div>
    </>
  )
}

/** The people who approved a card that needs several approvals. */
function Approvals({ card }: { card: Card }) {
  if (card.approvals === undefined) return null
  const { problem, oneMore } = card.approvals
  return (
    <p className="approvals">
      <Visible text={approvedWords(card) ?? ''} />
      {[oneMore, problem]
        .filter((words) => words !== undefined)
        .map((words) => (
          <Fragment key={words}>
            {'. '}
            <Visible text={words} />
          </Fragment>
        ))}
    </p>
  )
}

function Banner({ children }: { children: React.ReactNode }) {
  return (
    <div className="banner wash-warn" role="note">
      <Mark kind="warn" size={12} />
      <span>{children}</span>
    </div>
  )
}
