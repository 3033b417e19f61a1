import type { Card } from 'jarvis-backend/protocol'
import { lazy, Suspense, useId, useLayoutEffect, useRef, useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { useNames } from '../../api/names.ts'
import { exactTime, shortModel } from '../../lib/format.ts'
import { useValue } from '../../lib/use-value.ts'
import { Boxed, Visible } from '../../ui/boxed.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Answer, type Hand } from './answer.tsx'
import { approvalHeld, approvedWords } from './approvals.ts'
import { Expiry } from './countdown.tsx'
import { linesHeld } from './file-steps.ts'
import { Executing, Settled } from './outcome.tsx'
import { type Matter, phaseOf } from './phase.ts'
import { firstUnseen, PlanFactsList, PlanGoal, PlanSteps, PlanStrip, useSeenSteps } from './plan.tsx'
import { PlanProgress, planHeading, usePlanRun } from './plan-progress.tsx'
import { actOf, exactInput } from './sentence.ts'
import { Sentence } from './sentence-line.tsx'
import { Signs } from './signs.tsx'
import { undoWords } from './undo-words.ts'
import { warningsOf } from './warnings.ts'
import { Who } from './who.tsx'

const FileDiffs = lazy(() => import('./file-diffs.tsx').then((part) => ({ default: part.FileDiffs })))

/** The target as the live cluster shows it. */
export type LiveTarget = {
  /** `Running for 8 d 4 h, CPU 97 %`; absent where the cluster does not know the target. */
  now?: string
  age: React.ReactNode
  /** The differences from the target when the card was made. */
  change?: string
}

export type CardProps = {
  matter: Matter
  live?: LiveTarget | undefined
  /** All known guests, to find lookalike names. */
  guests: readonly { vmid: number; name: string }[]
  hand: Hand
  /** Explains an unknown outcome and offers a check. */
  unknown: React.ReactNode
  /** The same for a step of a plan. */
  unknownOf: (toolUseId: string, observed: string) => React.ReactNode
  /** The card of a plan's step that asks by itself. */
  stepCard?: (toolUseId: string) => React.ReactNode
  /** Below the answer, where this person may decide without others. */
  alone?: React.ReactNode
  /** Asks for the plan that takes a plan back. */
  onUndoPlan?: (id: string) => void
  /** Decided by someone else while this screen showed it as pending. */
  isElsewhere?: boolean
}

/** One red call that waits for a person, and later its outcome; above that of a plan its goal. */
export function ConfirmationCard(props: CardProps) {
  const { plan } = props.matter.card
  return (
    <>
      {plan?.goal !== undefined && <PlanGoal plan={plan} />}
      <CardFrame {...props} />
    </>
  )
}

/** The card keeps its place and its focus throughout. */
function CardFrame({ matter, live, guests, hand, unknown, unknownOf, isElsewhere = false, ...ofPlan }: CardProps) {
  const { card } = matter
  const phase = phaseOf(matter)
  const act = actOf(card)
  const root = useRef<HTMLElement>(null)
  const title = useId()
  const [readChange, setReadChange] = useState<string>()
  const [unseen, setUnseen] = useState(0)
  const hadFocus = useRef(false)
  const { plan } = card
  const seen = useSeenSteps(root, plan !== undefined && phase === 'pending')
  const isBegun = phase !== 'pending' && matter.resolved?.decision === 'approved'
  const run = usePlanRun(plan, isBegun).data
  const own = useValue(signedIn)?.id

  // A part that held the focus is removed. Keep the focus on the card.
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
    <h3 id={title}>
      <Sentence pieces={pieces} />
    </h3>
  )

  if (phase === 'pending') {
    const change = live?.change
    const isLocked = change !== undefined && change !== readChange
    const warnings = warningsOf(card, guests)
    const next = plan && firstUnseen(plan, seen)
    return (
      <article {...frame} className="card risk-edge" data-pending={card.toolUseId}>
        <header>
          {heading(act.ask)}
          <Expiry from={card.createdAt} until={card.expiresAt} />
        </header>
        {plan === undefined ? (
          <>
            <Facts card={card} live={live} />
            {card.diff !== undefined && (
              <Suspense fallback={null}>
                <FileDiffs card={card} onUnseen={setUnseen} />
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
        {card.approvals !== undefined && (
          <p className="approvals">
            <Visible text={approvedWords(card) ?? ''} />
            {card.approvals.problem !== undefined && (
              <>
                {'. '}
                <Visible text={card.approvals.problem} />
              </>
            )}
          </p>
        )}
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
            held={next === undefined ? (approvalHeld(card, own) ?? linesHeld(unseen)) : `step ${next} not seen yet`}
            by={
              <>
                <Asker card={card} />
                <ForPerson id={card.requestedBy.person} />
              </>
            }
          />
          {ofPlan.alone}
        </div>
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

function Facts({ card, live: seen }: { card: Card; live: LiveTarget | undefined }) {
  // Of a setting or a snapshot the card says what is so now; whether the guest runs is another matter.
  const live = card.effect === undefined || card.effect.kind === 'power' || card.basis === undefined ? seen : undefined
  return (
    <dl className="facts">
      <div>
        <dt>Now</dt>
        <dd>
          <Visible text={live?.now ?? sentenceCase(card.now)} />
          {gap}
          <small>{live?.age}</small>
        </dd>
      </div>
      {live?.change !== undefined && (
        <div>
          <dt>Was</dt>
          <dd className="text-dim">
            <Visible text={card.now} />, when it was asked
          </dd>
        </div>
      )}
      <div>
        <dt>Then</dt>
        <dd>
          <Arrows text={card.then} />
        </dd>
      </div>
      <div>
        <dt>Affects</dt>
        <dd>
          <Remarked text={sentenceCase(card.affects)} />
        </dd>
      </div>
      {card.undo !== undefined && (
        <div>
          <dt>Undo</dt>
          <dd>
            {card.undo.kind === 'none' && <b>Cannot be undone: </b>}
            <Visible text={undoWords(card.undo, Date.now())} />
          </dd>
        </div>
      )}
      {card.later !== undefined && (
        <div>
          <dt>Later</dt>
          <dd>
            <Visible text={card.later.sentence.replace(/\.$/, '')} />
            {gap}
            <small>by itself, {exactTime(card.later.at)}</small>
          </dd>
        </div>
      )}
      <div>
        <dt>Why</dt>
        {(card.reasons ?? [card.reason]).map((reason) => (
          <dd key={reason}>
            <Visible text={reason.replace(/\.$/, '')} />
            {gap}
            {card.reasons === undefined && <small>{`${card.toolName} is red`}</small>}
          </dd>
        ))}
      </div>
    </dl>
  )
}

/** Before a remark: as wide as half an em, and nothing where the line ends. */
const gap = '\u2002'
const sentenceCase = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** `running → stopped, clean shutdown`, with arrows drawn and the text after the last step in grey. */
function Arrows({ text }: { text: string }) {
  const steps = text.split('→').map((step) => step.trim())
  if (steps.length === 1) return <Remarked text={text} />
  const [, last = '', remark = ''] = /^(.*?)(?:[,:]\s+(.*))?$/s.exec(steps.at(-1) ?? '') ?? []
  return (
    <>
      <span className="arrows">
        {[...steps.slice(0, -1), last].map((step, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no identity but their place
          <span key={at}>
            {at > 0 && (
              <>
                <Icon name="arrow" />
                <span className="vh">then</span>
              </>
            )}
            <Visible text={step} />
          </span>
        ))}
      </span>
      {gap}
      {remark !== '' && (
        <small>
          <Visible text={remark} />
        </small>
      )}
    </>
  )
}

/** `Nothing else found (disks, HA checked)`, with brackets at the end in grey. */
function Remarked({ text }: { text: string }) {
  const [, said = text, remark] = /^(.*?)(?:\s+\(([^()]*)\))?$/s.exec(text) ?? []
  return (
    <>
      <Visible text={said} />
      {gap}
      {remark !== undefined && (
        <small>
          <Visible text={remark} />
        </small>
      )}
    </>
  )
}

function ExactCall({ card, isFirst = false }: { card: Card; isFirst?: boolean }) {
  const input = exactInput(card.toolInput)
  return (
    <div className={`exact${isFirst ? ' mt-2' : ''}`}>
      <code>
        <b>
          <Visible text={card.toolName} />
        </b>{' '}
        <bdi>
          <Visible text={input} />
        </bdi>
      </code>
      <CopyButton text={`${card.toolName} ${input}`} label="Copy the exact call" />
    </div>
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

/** In whose name it is asked, where several people could. @param id absent: the first owner */
function ForPerson({ id = 'operator' }: { id: string | undefined }) {
  const { isMany, nameOf } = useNames()
  const own = useValue(signedIn)?.id
  if (!isMany) return null
  return <span className="for-person">for {id === own ? 'you' : <Visible text={nameOf(id)} />}</span>
}

/** Who asks. A client chooses its own name, so the name is drawn as foreign text. */
function Asker({ card }: { card: Card }) {
  const { kind, name, token, agent = 'main', for: askedBy } = card.requestedBy
  if (askedBy !== undefined) {
    return (
      <>
        Asked by{' '}
        <b>
          <Visible text={agent} />
        </b>
        <br />
        for <Visible text={askedBy} />, in this chat
      </>
    )
  }
  if (kind === 'chat') {
    return (
      <>
        Asked in this chat by{' '}
        <span className="asker">
          <Visible text={shortModel(name)} />
        </span>
      </>
    )
  }
  if (kind === 'command') {
    return (
      <>
        Typed as a command by <Who id={name} />
      </>
    )
  }
  if (kind !== 'mcp') {
    return (
      <>
        Asked by <Visible text={kind === 'v1' ? 'program' : kind} /> <Boxed text={name} />
      </>
    )
  }
  return (
    <>
      MCP client <Boxed text={name} />
      {token !== undefined && (
        <>
          , token <Visible text={token} />
        </>
      )}
      , cannot approve
    </>
  )
}
