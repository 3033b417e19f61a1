import type { Change } from 'protocol'
import { ApiError } from 'protocol/client'
import { useEffect, useId, useRef, useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { keepChange, undoChange } from '../../api/change.ts'
import { armed, useArmed } from '../../api/changes.ts'
import { undoWords } from '../../features/confirmations/undo-words.ts'
import { useEscape } from '../../lib/use-escape.ts'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Expiry } from '../../ui/countdown.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Mark, type MarkKind } from '../../ui/mark.tsx'
import { useNow } from '../../ui/use-now.ts'
import { useIsLive } from '../load-state.tsx'
import { CompareLink } from './compare-link.tsx'
import './goes-back.css'
import { armedWords, keepQuestion, type Stand, second, standOf } from './words.ts'

/**
 * A change that goes back by itself unless a person keeps it, and afterwards its outcome. The first answer counts, whichever page or channel it
 * comes from.
 */
export function GoesBack({ change }: { change: Change }) {
  const aheadMs = useArmed()?.aheadMs ?? 0
  const now = useNow(1_000) + aheadMs
  const stand = standOf(change, now)
  const title = useId()
  const root = useRef<HTMLElement>(null)
  if (stand !== 'armed' && stand !== 'due') return <Ended change={change} stand={stand} />
  const { goesBackAt = now, at, sentence, undo, problem, timerOn } = change
  return (
    <article
      ref={root}
      className="card goes-back"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys work while it has the focus
      tabIndex={0}
      aria-labelledby={title}
      id={`change-${change.id}`}
      data-change={change.id}
    >
      <header>
        <h2 id={title}>
          <Visible text={keepQuestion(sentence)} />
        </h2>
        <Expiry from={at} until={goesBackAt} aheadMs={aheadMs} words="goes back in" />
      </header>
      <dl className="facts">
        <div>
          <dt>Goes to</dt>
          <dd>
            <Visible text={undoWords(undo, now)} />
          </dd>
        </div>
        <div>
          <dt>If silent</dt>
          <dd>
            <Visible text={timerOn ?? 'JARVIS'} />{' '}
            {stand === 'due' ? (
              <>takes it back now. {problem !== undefined && <Visible text={problem} />}</>
            ) : (
              <>
                takes it back at <span className="num">{second(goesBackAt - aheadMs)}</span>{' '}
                <small>{armedWords(timerOn)}</small>
              </>
            )}
          </dd>
        </div>
      </dl>
      <Answers root={root} change={change} at={goesBackAt - aheadMs} />
    </article>
  )
}

type Step = 'asking' | 'keep' | 'back' | 'sending'

/** The buttons Keep and Go back now. A click decides at once. A shortcut key only selects the button; Enter then decides. */
function Answers({ root, change, at }: { root: React.RefObject<HTMLElement | null>; change: Change; at: number }) {
  const isOperator = useValue(signedIn)?.role === 'operator'
  const isLive = useIsLive()
  const [step, setStep] = useState<Step>('asking')
  const [refusal, setRefusal] = useState<string>()
  const keep = useRef<HTMLButtonElement>(null)
  const back = useRef<HTMLButtonElement>(null)
  const mayAct = isOperator && isLive
  const decide = async (what: 'keep' | 'back') => {
    if (!mayAct || step === 'sending') return
    setStep('sending')
    setRefusal(undefined)
    try {
      await (what === 'keep' ? keepChange(change.id) : undoChange(change.id))
    } catch (error) {
      setRefusal(error instanceof ApiError ? error.message : 'That did not work.')
    }
    armed.renew()
    setStep('asking')
    root.current?.focus({ preventScroll: true })
  }
  const disarm = () => {
    setStep('asking')
    root.current?.focus({ preventScroll: true })
  }
  useEscape(step === 'keep' || step === 'back' ? disarm : undefined)
  const onKey = useRef<(event: KeyboardEvent) => void>(undefined)
  onKey.current = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
    const arms = { a: 'keep', u: 'back' } as const
    const to = arms[event.key.toLowerCase() as 'a']
    if (to !== undefined && mayAct && step !== 'sending') {
      event.preventDefault()
      setStep(to)
      ;(to === 'keep' ? keep : back).current?.focus()
    }
  }
  useEffect(() => {
    const element = root.current
    const listen = (event: KeyboardEvent) => onKey.current?.(event)
    element?.addEventListener('keydown', listen)
    return () => element?.removeEventListener('keydown', listen)
  }, [root])
  if (!isOperator) return <footer className="text-soft">An operator can keep it or take it back.</footer>
  if (!isLive) {
    return (
      <footer>
        <span className="resting">
          <Mark kind="unknown" />
          No connection. {change.timerOn === undefined ? 'JARVIS, if it runs,' : 'The timer of the node'} takes it back
          at {second(at)}.
        </span>
      </footer>
    )
  }
  const button = (what: 'keep' | 'back', words: React.ReactNode) => (
    <button
      type="button"
      ref={what === 'keep' ? keep : back}
      className={`button${what === 'keep' ? ' solid' : ''}${step === what ? ' armed-plain' : ''}`}
      aria-disabled={step === 'sending'}
      // A click decides at once. A key press must be repeated to decide.
      onClick={(event) => (step === what || event.detail > 0 ? void decide(what) : setStep(what))}
      onBlur={() => setStep((now) => (now === what ? 'asking' : now))}
    >
      {words}
    </button>
  )
  return (
    <>
      {refusal !== undefined && (
        <p className="refused" role="alert">
          <Mark kind="bad" />
          <Visible text={refusal} />
        </p>
      )}
      <footer>
        {button('keep', 'Keep')}
        {button(
          'back',
          <>
            <Icon name="again" /> Go back now
          </>,
        )}
        <span className="by whole">
          {step === 'sending' ? (
            <span role="status">Sending your answer…</span>
          ) : step === 'keep' ? (
            'Enter keeps it, Esc steps back'
          ) : step === 'back' ? (
            'Enter takes it back, Esc steps back'
          ) : (
            <span aria-hidden="true" className="keys">
              <span>
                <kbd>A</kbd> then <kbd>↵</kbd> keeps
              </span>
              <span>
                <kbd>U</kbd> then <kbd>↵</kbd> goes back
              </span>
            </span>
          )}
        </span>
      </footer>
    </>
  )
}

const ends: Partial<Record<Stand, readonly [mark: MarkKind, said: string]>> = {
  kept: ['ok', 'Kept'],
  by_itself: ['ok', 'Went back by itself: nobody kept it.'],
  on_request: ['ok', 'Went back on request'],
  could_not: ['bad', 'Could not go back.'],
  unknown: ['unknown', 'It is not known how it stands. Look again; nothing is written by itself.'],
  undoing: ['step', 'Is being taken back.'],
  failed: ['bad', 'It was not made.'],
  running: ['step', 'Is being made.'],
}

/** The outcome of the change, with a grey edge. */
function Ended({ change, stand }: { change: Change; stand: Stand }) {
  const { sentence, decidedBy, decidedAt, problem, undo, goesBackAt } = change
  const end = ends[stand]
  if (end === undefined) return null
  const [mark, said] = end
  const isAnswered = stand === 'kept' || stand === 'on_request'
  return (
    <article className="card settled" tabIndex={-1} id={`change-${change.id}`}>
      <header>
        <h2>
          <Visible text={sentence} />
        </h2>
      </header>
      <p className="outcome" role="status">
        <Mark kind={mark} />
        <span>
          <b>
            {said}
            {isAnswered && (
              <>
                {' '}
                by <Visible text={decidedBy ?? 'somebody'} />
                {decidedAt !== undefined && <> at {second(decidedAt)}</>}.
              </>
            )}
          </b>{' '}
          {stand === 'by_itself' && <>At {second(decidedAt ?? goesBackAt ?? 0)}. </>}
          {(stand === 'by_itself' || stand === 'on_request') && <Visible text={undo.sentence} />}
          {problem !== undefined && stand !== 'by_itself' && stand !== 'on_request' && <Visible text={problem} />}{' '}
          {(stand === 'could_not' || stand === 'unknown') && <CompareLink change={change} />}
        </span>
      </p>
    </article>
  )
}
