import type { Card, PlanStep } from 'protocol'
import { isFinal } from 'protocol/facts'
import { type RefObject, useEffect, useState } from 'react'
import { plural } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Tier, tierWord } from '../../ui/tier.tsx'
import './plan.css'
import { exactInput } from './sentence.ts'
import { undoWords } from './undo-words.ts'
import { viewOf } from './use-earned.ts'

type Plan = NonNullable<Card['plan']>

/** The first digits of a plan's hash, in groups that people can compare: `8c1e 04d7 51aa`. */
export const hashWords = (hash: string): string => (hash.slice(0, 12).match(/.{1,4}/g) ?? []).join(' ')
/** The short hash by which a plan is named. */
export const shortHash = (hash: string): string => hash.slice(0, 4)

const lookEveryMs = 200
/** In a plan with more steps than this, a strip shows which steps were on screen. */
const manySteps = 8

/** Returns the numbers of the steps that were on screen from their first to their last line. */
export function useSeenSteps(root: RefObject<HTMLElement | null>, isWanted: boolean): ReadonlySet<number> {
  const [seen, setSeen] = useState<ReadonlySet<number>>(new Set())
  useEffect(() => {
    const card = root.current
    if (card === null || !isWanted) return
    const tops = new Set<number>()
    const whole = new Set<number>()
    const look = () => {
      if (document.hidden) return
      // On a phone the buttons cover the lower steps, which then do not count as on screen.
      const acts = card.querySelector('.plan-acts')?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY
      const before = whole.size
      for (const step of card.querySelectorAll<HTMLElement>('[data-step]')) {
        const number = Number(step.dataset.step)
        if (whole.has(number)) continue
        const box = step.getBoundingClientRect()
        const { top, bottom: end } = viewOf(step)
        const bottom = Math.min(end, acts)
        if (box.top >= top - 1 && box.top < bottom) tops.add(number)
        if (tops.has(number) && box.bottom <= bottom + 1 && box.bottom > top) whole.add(number)
      }
      if (whole.size > before) setSeen(new Set(whole))
    }
    look()
    const timer = setInterval(look, lookEveryMs)
    return () => clearInterval(timer)
  }, [root, isWanted])
  return seen
}

/** Returns the first step that was not on screen yet; undefined if all were. */
export const firstUnseen = (plan: Plan, seen: ReadonlySet<number>): number | undefined =>
  plan.steps.find(({ number }) => !seen.has(number))?.number

/** The model's own text about its plan. It is outside the card, because the facts of the card come only from JARVIS. */
export function PlanGoal({ plan }: { plan: Plan }) {
  const { goal, criteria } = plan
  if (goal === undefined) return null
  return (
    <div className="own-words" role="note">
      <small>The goal, in the own words of who asks; they allow nothing</small>
      <Visible text={goal} />
      {criteria !== undefined && (
        <p>
          Done when: <Visible text={criteria} />
        </p>
      )}
    </div>
  )
}

/** Facts about a plan: the confirmations that its steps need, and their targets. */
export function PlanFactsList({ card, plan }: { card: Card; plan: Plan }) {
  const open = plan.steps.filter(({ state }) => state === 'waits')
  const red = open.filter(({ tier }) => tier === 'red').length
  const rest = open.length - red
  const done = plan.steps.length - open.length
  return (
    <dl className="facts plan-facts">
      <div>
        <dt>Asks</dt>
        <dd>
          {plural(red, 'step')} {red === 1 ? 'needs' : 'need'} you
          {rest > 0 && `, ${rest} would run anyway`}
          {done > 0 && <small> {done} read already or skipped</small>}
        </dd>
      </div>
      <div>
        <dt>Affects</dt>
        <dd>
          <Visible text={card.affects} />
        </dd>
      </div>
      {Object.keys(plan.inputs).length > 0 && (
        <div>
          <dt>Inputs</dt>
          <dd className="mono">
            <Visible text={exactInput(plan.inputs)} />
          </dd>
        </div>
      )}
    </dl>
  )
}

/** Every step with its tier, sentence and complete call. Steps are never collapsed, even if they are equal. */
export function PlanSteps({ plan }: { plan: Plan }) {
  const [isRead, setRead] = useState(false)
  const hasReads = plan.steps.some(({ read, when, now }) => (read ?? when ?? now) !== undefined)
  return (
    <>
      <ol className="plan-steps" aria-label="Steps" onKeyDown={(event) => moveStep(event)}>
        {plan.steps.map((step) => (
          <Step key={step.number} step={step} isRead={isRead} />
        ))}
      </ol>
      <p className="plan-foot">
        <span>
          Stops at the first surprise
          {plan.steps.some(({ onFailure }) => onFailure === 'skip') && ' but where a step says'}. A step whose target
          has changed asks again by itself.
        </span>
        {hasReads && (
          <button type="button" className="button small quiet" aria-expanded={isRead} onClick={() => setRead(!isRead)}>
            Show what each step read <Icon name="down" />
          </button>
        )}
        <span className="text-dim">
          plan <span className="mono">{hashWords(plan.hash)}</span>
        </span>
      </p>
    </>
  )
}

function moveStep(event: React.KeyboardEvent) {
  const by = { j: 1, k: -1 }[event.key.toLowerCase()]
  if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return
  const steps = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-step]')]
  const at = steps.findIndex((step) => step.contains(document.activeElement))
  const next = steps[at + by]
  if (next === undefined) return
  event.preventDefault()
  event.stopPropagation()
  next.focus({ preventScroll: true })
  next.scrollIntoView({ block: 'nearest' })
}

function Step({ step, isRead }: { step: PlanStep; isRead: boolean }) {
  const { number, tier, title, sentence, toolName, toolInput, now, then, affects, undo, check } = step
  const { when, read, state, onFailure, isLater } = step
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: J and K, and Tab, go from step to step
    <li data-step={number} tabIndex={0}>
      <span className="num text-dim">{number}</span>
      <Tier tier={tier} size={13} />
      <div>
        <b>
          <span className="vh">{tierWord[tier]}: </span>
          <Visible text={(sentence === '' ? title : sentence).replace(/\.$/, '')} />
        </b>
        <code>
          <b>{toolName}</b>{' '}
          <bdi>
            <Visible text={exactInput(toolInput)} />
          </bdi>
        </code>
        {state === 'skipped' ? (
          <p className="text-soft">
            does not apply{when !== undefined && ': '}
            {when !== undefined && <Visible text={when} />}
          </p>
        ) : (
          state !== 'waits' && <p className="text-soft">read already</p>
        )}
        {isRead && state !== 'skipped' && when !== undefined && (
          <p className="text-soft">
            when: <Visible text={when} />
          </p>
        )}
        {isRead && now !== undefined && (
          <p className="text-soft">
            now: <Visible text={now} />
          </p>
        )}
        {isRead && read !== undefined && (
          <p className="text-soft">
            read: <Visible text={read} />
          </p>
        )}
      </div>
      <dl>
        {then !== undefined && (
          <Fact name="Then">
            <Visible text={then} />
          </Fact>
        )}
        {affects !== undefined && (
          <Fact name="Affects">
            <Visible text={affects} />
          </Fact>
        )}
        {undo !== undefined && (
          <Fact name="Undo">
            {isFinal(undo) ? (
              <b>
                cannot be undone: <Visible text={undoWords(undo, Date.now())} />
              </b>
            ) : (
              <Visible text={undoWords(undo, Date.now())} />
            )}
          </Fact>
        )}
        {check !== undefined && (
          <Fact name="Check">
            <Visible text={check} />
          </Fact>
        )}
        {onFailure === 'skip' && <Fact name="Fails">the plan goes on, without what comes after it</Fact>}
        {isLater && when !== undefined && (
          <Fact name="Why">
            <Visible text={when} />
          </Fact>
        )}
      </dl>
    </li>
  )
}

const Fact = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

type StripProps = { plan: Plan; seen: ReadonlySet<number>; root: RefObject<HTMLElement | null> }

/** The tiers of the steps, with a bar under each step that was on screen, and a button that scrolls to the next step that was not. */
export function PlanStrip({ plan, seen, root }: StripProps) {
  const next = firstUnseen(plan, seen)
  if (plan.steps.length <= manySteps && next === undefined) return null
  const go = () => {
    const step = root.current?.querySelector<HTMLElement>(`[data-step="${next}"]`)
    step?.focus({ preventScroll: true })
    step?.scrollIntoView({ block: 'center' })
  }
  return (
    <p className={plan.steps.length > manySteps ? 'plan-strip' : 'plan-strip few'}>
      <span className="strip-tiers" aria-hidden="true">
        {plan.steps.map(({ number, tier }) => (
          <span key={number} className={seen.has(number) ? 'was-seen' : ''}>
            <Tier tier={tier} size={11} />
          </span>
        ))}
      </span>
      <span>
        {seen.size} of {plan.steps.length} seen
        {next !== undefined && (
          <>
            .{' '}
            <button type="button" className="text-link" onClick={go}>
              Next: {next}
            </button>
          </>
        )}
      </span>
    </p>
  )
}
