import type { Alternative, Card, ChatRequests, GrantRequest } from 'protocol'
import { type RefObject, useId, useLayoutEffect, useRef, useState } from 'react'
import { useEscape } from '../../lib/use-escape.ts'
import { Icon } from '../../ui/icon.tsx'
import { Mark } from '../../ui/mark.tsx'
import { useNow } from '../../ui/use-now.ts'
import { ApproveButton } from './approve-button.tsx'
import { DenyForm } from './deny-form.tsx'
import { GoesBackChoice } from './goes-back-choice.tsx'
import { firstGrant, GrantChoice, GrantWords } from './grant-choice.tsx'
import { Resting, Sending } from './no-decision.tsx'
import type { Act } from './sentence.ts'
import { useCardKeys } from './use-card-keys.ts'
import { useEarned } from './use-earned.ts'

/** A person's answer on a card. */
type Choice = Omit<ChatRequests['chat:confirm'], 'sessionId' | 'toolUseId' | 'requestId' | 'proof'>

/** The actions on a card that this person may take. */
export type Hand = {
  /** Why no decision is possible now; undefined if a decision is possible. */
  rest?: { why: React.ReactNode; tryNow?: () => void } | undefined
  /** @returns the server's refusal in words; undefined: the decision was accepted */
  decide(card: Card, choice: Choice): Promise<string | undefined>
  askAgain?: ((card: Card, force: boolean) => void) | undefined
}

type Props = {
  root: RefObject<HTMLElement | null>
  card: Card
  act: Act
  hand: Hand
  /** True if the focus was inside the card just before. */
  hadFocus: RefObject<boolean>
  isGrantable: boolean
  /** Marks the change of the target as read. Set while the target has changed and this person has not read that yet. */
  onRead?: (() => void) | undefined
  /** Why Approve cannot be enabled yet; undefined if it can. */
  held?: string | undefined
  by: React.ReactNode
}

type Step = 'asking' | 'armed' | 'denying' | 'signing' | 'sending'

/** Deny and Approve. Approve is disabled until the card was seen, and needs two key presses. */
export function Answer({ root, card, act, hand, hadFocus, isGrantable, onRead, held, by }: Props) {
  const [step, setStep] = useState<Step>('asking')
  const [typed, setTyped] = useState('')
  const { grant, setGrant, refusal, decide, ...choice } = useChoice(card, hand, setStep)
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
  // The armed button can disappear without a blur event, so arm it anew when it returns.
  if (!canDecide && step === 'armed') setStep('asking')

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

  const disarm = () => setStep((now) => (now === 'armed' ? 'asking' : now))
  const isArmed = step === 'armed'
  useCardKeys(root, { isArmed, isSending, arm, disarm, deny: openNote })
  const stepsBack = { asking: grant && closeGrant, armed: disarm, denying: back }
  useEscape(hand.rest === undefined && !isSending ? stepsBack[step] : undefined)
  useKeptFocus(root, hadFocus, `${step} ${canDecide}`)

  if (hand.rest !== undefined && step !== 'denying') return <Resting {...hand.rest} />
  if (isSending) return <Sending isSigning={step === 'signing'} />
  if (step === 'denying') {
    return (
      <DenyForm
        rest={hand.rest && <Resting {...hand.rest} />}
        note={choice.note}
        onNote={choice.setNote}
        mayNameOther={card.mayHaveAlternative === true}
        onDeny={(alternative) => void decide(false, alternative)}
        onBack={back}
      />
    )
  }
  /** The Approve button. While the grant form is open, the button is in that form and its text names the grant. */
  const approveWith = (words: React.ReactNode) => (
    <ApproveButton
      button={approve}
      isArmed={isArmed}
      isAwake={isAwake}
      isStill={isStill}
      hint={hint}
      onApprove={() => void decide(true)}
      onArm={arm}
      onLeave={disarm}
    >
      {words}
    </ApproveButton>
  )
  return (
    <>
      {act.typed !== undefined && <Typed wanted={act.typed} typed={typed} onType={setTyped} />}
      {card.mayGoBack && <GoesBackChoice minutes={choice.goesBackAfterMin} onChoose={choice.setGoesBack} />}
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
          <AllowButton
            button={allow}
            isOpen={grant !== undefined}
            onToggle={() => setGrant(grant === undefined ? firstGrant : undefined)}
          />
        )}
        <span className="by">{isArmed ? 'Enter approves, Esc steps back' : (held ?? by)}</span>
        <span id={hint} className="vh">
          {hintOf({ isOver, isTyped, held, isSeen })}
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

/** The person's choice, and its way to the server. */
function useChoice(card: Card, hand: Hand, setStep: (step: Step) => void) {
  const [note, setNote] = useState('')
  const [grant, setGrant] = useState<GrantRequest>()
  const [goesBackAfterMin, setGoesBack] = useState<number>()
  const [refusal, setRefusal] = useState<string>()
  const decide = async (confirmed: boolean, alternative?: Alternative) => {
    setStep(confirmed && card.proof !== undefined ? 'signing' : 'sending')
    setRefusal(undefined)
    const choice = confirmed ? { confirmed, note, grant, goesBackAfterMin } : { confirmed, note, alternative }
    const refused = await hand.decide(card, choice)
    if (refused === undefined) return
    setRefusal(refused)
    setStep('asking')
  }
  return { note, setNote, grant, setGrant, goesBackAfterMin, setGoesBack, refusal, decide }
}

/** Keeps the focus on the card when a change removed the pressed button. */
function useKeptFocus(root: Props['root'], hadFocus: Props['hadFocus'], change: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new step, or none to take now, is what may drop the focus
  useLayoutEffect(() => {
    if (hadFocus.current && document.activeElement === document.body) root.current?.focus({ preventScroll: true })
  }, [change])
}

/** The field for the number that enables Approve. */
const Typed = ({ wanted, typed, onType }: { wanted: string; typed: string; onType: (typed: string) => void }) => (
  <label className="typed">
    <span>
      Type <b className="num">{wanted}</b> to enable
    </span>
    <input
      className="field num"
      inputMode="numeric"
      autoComplete="off"
      value={typed}
      onChange={(event) => onType(event.target.value)}
    />
  </label>
)

/** Opens and closes the form for a grant. */
const AllowButton = ({
  button,
  isOpen,
  onToggle,
}: {
  button: RefObject<HTMLButtonElement | null>
  isOpen: boolean
  onToggle: () => void
}) => (
  <button type="button" ref={button} className="button quiet allow" aria-expanded={isOpen} onClick={onToggle}>
    Allow for… <Icon name="down" />
  </button>
)

/** The hint beside Approve: how to wake the button, or how to use it once it is awake. */
function hintOf({
  isOver,
  isTyped,
  held,
  isSeen,
}: {
  isOver: boolean
  isTyped: boolean
  held: string | undefined
  isSeen: boolean
}) {
  if (isOver) return 'Its time is over.'
  if (!isTyped) return 'Type the number first.'
  if (held !== undefined) return held
  return isSeen ? 'A arms it, then Enter approves. D denies.' : 'It wakes when the whole card was on screen.'
}
