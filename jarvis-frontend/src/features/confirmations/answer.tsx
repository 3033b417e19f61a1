import type { Alternative, Card, GrantRequest } from 'jarvis-backend/protocol'
import { type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Tier } from '../../ui/tier.tsx'
import { useNow } from '../../ui/use-now.ts'
import { DenyForm } from './deny-form.tsx'
import { GoesBackChoice } from './goes-back-choice.tsx'
import { firstGrant, GrantChoice, GrantWords } from './grant-choice.tsx'
import type { Act } from './sentence.ts'
import { useEarned } from './use-earned.ts'

/** The actions on a card that this person may take. */
export type Hand = {
  /** Why no decision is possible now; absent where one is. */
  rest?: { why: React.ReactNode; tryNow?: () => void } | undefined
  /** @returns the server's refusal in words; undefined: the decision was accepted */
  decide(
    card: Card,
    confirmed: boolean,
    note?: string,
    grant?: GrantRequest,
    goesBackAfterMin?: number,
    alternative?: Alternative,
  ): Promise<string | undefined>
  askAgain?: ((card: Card, force: boolean) => void) | undefined
}

type Props = {
  root: RefObject<HTMLElement | null>
  card: Card
  act: Act
  hand: Hand
  /** Whether the focus was inside the card just before. */
  hadFocus: RefObject<boolean>
  isGrantable: boolean
  /** Set while the target has changed and this person has not acknowledged the change. */
  onRead?: (() => void) | undefined
  /** Why Approve cannot wake yet; absent where it can. */
  held?: string | undefined
  by: React.ReactNode
}

/** A letter that follows another this soon is part of a word, which neither arms nor denies. */
const wordWithinMs = 700

type Step = 'asking' | 'armed' | 'denying' | 'signing' | 'sending'

/** Deny and Approve. Approve is disabled until the card was seen, and needs two key presses. */
export function Answer({ root, card, act, hand, hadFocus, isGrantable, onRead, held, by }: Props) {
  const [step, setStep] = useState<Step>('asking')
  const [note, setNote] = useState('')
  const [typed, setTyped] = useState('')
  const [grant, setGrant] = useState<GrantRequest>()
  const [goesBackAfterMin, setGoesBack] = useState<number>()
  const [refusal, setRefusal] = useState<string>()
  const approve = useRef<HTMLButtonElement>(null)
  const deny = useRef<HTMLButtonElement>(null)
  const allow = useRef<HTMLButtonElement>(null)
  const hint = useId()
  const isOver = useNow(1_000) >= card.expiresAt
  const isTyped = act.typed === undefined || typed.trim() === act.typed
  const canDecide = hand.rest === undefined && onRead === undefined && !isOver
  const isSending = step === 'sending' || step === 'signing'
  const { isSeen, isStill } = useEarned(root, canDecide && !isSending)
  const isAwake = isSeen && isTyped && canDecide && held === undefined
  // The armed button disappears without a blur event, so a button that returns must be armed again.
  if (!canDecide && step === 'armed') setStep('asking')

  const decide = async (confirmed: boolean, alternative?: Alternative) => {
    setStep(confirmed && card.proof !== undefined ? 'signing' : 'sending')
    setRefusal(undefined)
    const refused = await (confirmed
      ? hand.decide(card, true, note, grant, goesBackAfterMin)
      : hand.decide(card, false, note, undefined, undefined, alternative))
    if (refused === undefined) return
    setRefusal(refused)
    setStep('asking')
  }
  const arm = () => {
    if (!isAwake || !isStill()) {
      root.current?.scrollIntoView({ block: 'nearest' })
      return
    }
    setStep('armed')
    approve.current?.focus()
  }
  const openNote = () => {
    if (hand.rest === undefined && !isOver) setStep('denying')
  }
  const closeGrant = () => {
    setGrant(undefined)
    allow.current?.focus()
  }
  const back = () => {
    setStep('asking')
    requestAnimationFrame(() => deny.current?.focus())
  }

  const letter = useRef({ key: '', at: 0, isWord: false })
  const onKey = useRef<(event: KeyboardEvent) => void>(undefined)
  onKey.current = (event) => {
    const isField = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)
    if (event.key === 'Escape' && (step === 'armed' || step === 'denying')) {
      event.preventDefault()
      event.stopPropagation()
      if (step === 'armed') setStep('asking')
      else back()
    }
    if (isField || event.ctrlKey || event.metaKey || event.altKey || event.repeat || isSending) return
    if (event.key.length === 1) {
      const { key, at, isWord } = letter.current
      // A held key that repeats is not a letter of a word.
      const isNext = event.timeStamp - at < wordWithinMs && (isWord || key !== event.key)
      letter.current = { key: event.key, at: event.timeStamp, isWord: isNext }
      // Typed letters are not meant for the card, so the Enter after them must not approve.
      if (step === 'armed' && event.key !== ' ') setStep('asking')
      if (isNext) return
    }
    if (event.key === 'a' || event.key === 'A') {
      event.preventDefault()
      arm()
    } else if (event.key === 'd' || event.key === 'D') {
      event.preventDefault()
      openNote()
    }
  }
  useEffect(() => {
    const element = root.current
    const listen = (event: KeyboardEvent) => onKey.current?.(event)
    element?.addEventListener('keydown', listen)
    return () => element?.removeEventListener('keydown', listen)
  }, [root])
  // The pressed button is gone. Keep the focus on the card.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new step, or none to take now, is what may drop the focus
  useLayoutEffect(() => {
    if (hadFocus.current && document.activeElement === document.body) root.current?.focus({ preventScroll: true })
  }, [step, canDecide])

  if (hand.rest !== undefined) {
    return (
      // A key of its own, so that a focused button never turns into another button.
      <footer key="rest">
        <span className="resting">
          <Mark kind="unknown" />
          {hand.rest.why}
        </span>
        {hand.rest.tryNow !== undefined && (
          <button type="button" className="button small quiet" onClick={hand.rest.tryNow}>
            Try now
          </button>
        )}
      </footer>
    )
  }
  if (isSending) {
    return (
      <>
        <div className="progress">
          <div className="meter endless">
            <i />
          </div>
        </div>
        <footer>
          <span className="text-soft" role="status">
            {step === 'signing' ? 'Your passkey is asked to sign…' : 'Sending your decision…'}
          </span>
        </footer>
      </>
    )
  }
  if (step === 'denying') {
    return (
      <DenyForm
        note={note}
        onNote={setNote}
        mayNameOther={card.mayHaveAlternative === true}
        onDeny={(alternative) => void decide(false, alternative)}
        onBack={back}
      />
    )
  }
  /** The one Approve button of a card; with the grant form open it stands there and names the grant. */
  const approveWith = (words: React.ReactNode) => (
    <button
      type="button"
      ref={approve}
      className={`button risk${step === 'armed' ? ' armed' : ''}`}
      aria-disabled={!isAwake}
      aria-describedby={hint}
      onClick={(event) => {
        if (!isAwake || !isStill()) return
        // A click decides at once; a key press arms first.
        if (step === 'armed' || event.detail > 0) void decide(true)
        else arm()
      }}
      onKeyDown={(event) => {
        if (event.repeat) event.preventDefault()
      }}
      onBlur={() => setStep((now) => (now === 'armed' ? 'asking' : now))}
    >
      <Tier tier="red" size={11} />
      {words}
    </button>
  )
  return (
    <>
      {act.typed !== undefined && (
        <label className="typed">
          <span>
            Type <b className="num">{act.typed}</b> to enable
          </span>
          <input
            className="field num"
            inputMode="numeric"
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
      )}
      {card.mayGoBack && <GoesBackChoice minutes={goesBackAfterMin} onChoose={setGoesBack} />}
      {refusal !== undefined && (
        <p className="refused" role="alert">
          <Mark kind="bad" />
          {refusal}
        </p>
      )}
      <footer>
        <button type="button" ref={deny} className="button" onClick={openNote} aria-disabled={isOver}>
          Deny…
        </button>
        {onRead === undefined ? (
          grant === undefined && approveWith(<>Approve: {act.approve}</>)
        ) : (
          <button type="button" className="button" onClick={onRead}>
            I have read it
          </button>
        )}
        {isGrantable && onRead === undefined && (
          <button
            type="button"
            ref={allow}
            className="button quiet allow"
            aria-expanded={grant !== undefined}
            onClick={() => setGrant(grant === undefined ? firstGrant : undefined)}
          >
            Allow for… <Icon name="down" />
          </button>
        )}
        <span className="by">{step === 'armed' ? 'Enter approves, Esc steps back' : (held ?? by)}</span>
        <span id={hint} className="vh">
          {isOver
            ? 'Its time is over.'
            : !isTyped
              ? 'Type the number first.'
              : held !== undefined
                ? held
                : isSeen
                  ? 'A arms it, then Enter approves. D denies.'
                  : 'It wakes when the whole card was on screen.'}
        </span>
      </footer>
      {grant !== undefined && onRead === undefined && (
        <GrantChoice card={card} grant={grant} onChange={setGrant}>
          {approveWith(<GrantWords grant={grant} card={card} />)}
          <button type="button" className="button quiet" onClick={closeGrant}>
            Close
          </button>
        </GrantChoice>
      )}
    </>
  )
}
