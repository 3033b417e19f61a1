import type { Answer, AnswerBody, Question, QuestionItem, QuestionResolution } from 'protocol'
import { Fragment, useId, useRef, useState } from 'react'
import { Boxed, Visible } from '../../ui/boxed.tsx'
import { Expiry } from '../../ui/countdown.tsx'
import { askerOf, endWords, gistOf, missingOf, saidOf, sendWords } from './words.ts'
import './question.css'

type Hand = {
  /** @returns the error; undefined if the answer was accepted */
  answer(body: AnswerBody): Promise<string | undefined>
  /** Moves the focus to the composer for a free answer; undefined if a free answer is not possible. */
  saySomethingElse?: (() => void) | undefined
  /** Why this person cannot answer now. */
  rest?: React.ReactNode
}

/** A waiting question, drawn as a card without a tier: an answer never approves a call. The heading is JARVIS's; what is asked is others' text. */
export function QuestionCard({ question, hand, isHere }: { question: Question; hand: Hand; isHere: boolean }) {
  const { items, server, message, url } = question
  const [answers, setAnswers] = useState<readonly Answer[]>(() => items.map(() => ({})))
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState<string>()
  const missing = missingOf(question, answers)
  const form = useRef<HTMLFormElement>(null)
  const change = (place: number, answer: Answer) => setAnswers(answers.map((one, at) => (at === place ? answer : one)))

  const send = async (body: AnswerBody) => {
    if (isSending || hand.rest !== undefined) return
    setSending(true)
    setProblem(undefined)
    const refused = await hand.answer(body)
    setProblem(refused)
    setSending(false)
  }
  const sendAll = () => {
    if (missing === undefined) void send({ answers: answers.map(sent) })
    else setProblem(`Not sent: ${missing}.`)
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      sendAll()
      return
    }
    const isField = event.target instanceof HTMLInputElement && event.target.type === 'text'
    if (isField || event.ctrlKey || event.metaKey || event.altKey || !/^[1-9]$/.test(event.key)) return
    const group = (event.target as Element).closest('fieldset') ?? form.current?.querySelector('fieldset')
    const option = group?.querySelectorAll<HTMLInputElement>('input:not([type="text"])')[Number(event.key) - 1]
    if (option === undefined) return
    event.preventDefault()
    option.focus()
    option.click()
  }
  const most = Math.max(0, ...items.map(({ options }) => options.length))
  return (
    <article
      className="card question"
      aria-label={`Question from ${askerOf(question)}`}
      id={`question-${question.questionId}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: Ctrl . and Tab go to it, as to a card
      tabIndex={0}
      data-pending={question.questionId}
      onKeyDown={onKeyDown}
    >
      <header>
        <h2>
          {server === undefined ? 'Answer ' : 'Answer the attached server '}
          <Boxed text={askerOf(question)} />?
        </h2>
        <Expiry from={question.createdAt} until={question.expiresAt} />
      </header>
      <p className="question-asker">
        {server === undefined ? 'Its own words' : 'A stranger’s words'}; an answer allows nothing.
      </p>
      {message !== undefined && (
        <p className="question-message">
          <Visible text={message} />
        </p>
      )}
      {url !== undefined && (
        <p className="question-url">
          It wants you to open this address, which JARVIS does not:
          <code>
            <Visible text={url} />
          </code>
        </p>
      )}
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault()
          sendAll()
        }}
      >
        {items.map((item, place) => (
          <Item
            // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place
            key={place}
            item={item}
            number={items.length > 1 ? `${place + 1} of ${items.length}` : ''}
            answer={answers[place] ?? {}}
            onChange={(answer) => change(place, answer)}
            rests={hand.rest !== undefined}
          />
        ))}
        <footer>
          <button
            type="submit"
            className="button solid"
            aria-disabled={isSending || hand.rest !== undefined || missing !== undefined}
          >
            {sendWords(answers)}
          </button>
          {hand.rest === undefined && hand.saySomethingElse !== undefined && (
            <button type="button" className="button quiet" onClick={hand.saySomethingElse}>
              Say something else
            </button>
          )}
          {hand.rest === undefined && (
            <button type="button" className="button quiet" onClick={() => void send({ declined: true })}>
              Decline
            </button>
          )}
          {hand.rest !== undefined ? (
            <span className="by whole">{hand.rest}</span>
          ) : (
            isHere && (
              <span className="by whole keys" aria-hidden="true">
                {most > 1 && (
                  <span>
                    <kbd>1</kbd>–<kbd>{Math.min(9, most)}</kbd> choose
                  </span>
                )}
                <span>
                  <kbd>Tab</kbd> next
                </span>
                <span>
                  <kbd>Ctrl ↵</kbd> send
                </span>
              </span>
            )
          )}
        </footer>
        {problem !== undefined && <p role="alert">{problem}</p>}
      </form>
    </article>
  )
}

const sent = ({ chosen = [], text = '' }: Answer): Answer => ({
  ...(chosen.length > 0 && { chosen }),
  ...(text.trim() !== '' && { text: text.trim() }),
})

type ItemProps = {
  item: QuestionItem
  /** The position among several questions, `1 of 2`; empty for a single question. */
  number: string
  answer: Answer
  onChange: (answer: Answer) => void
  rests: boolean
}

/** One question: radio buttons, check boxes or a text field. */
function Item({ item, number, answer, onChange, rests }: ItemProps) {
  const { text, options, isMultiple, isRequired, hint, typed } = item
  const { chosen = [] } = answer
  const name = useId()
  const pick = (at: number) => {
    if (isMultiple !== true) onChange({ ...answer, chosen: [at] })
    else onChange({ ...answer, chosen: chosen.includes(at) ? chosen.filter((one) => one !== at) : [...chosen, at] })
  }
  return (
    <fieldset disabled={rests}>
      <legend>
        {number !== '' && <span className="num">{number} </span>}
        <Visible text={text} />
        {isRequired === true && <small> must be answered</small>}
      </legend>
      {hint !== undefined && (
        <p className="question-hint" id={`${name}-hint`}>
          <Visible text={hint} />
        </p>
      )}
      {options.map(({ label, note }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an option is its place
        <label key={at} className="question-option">
          <input
            type={isMultiple === true ? 'checkbox' : 'radio'}
            name={name}
            checked={chosen.includes(at)}
            onChange={() => pick(at)}
          />
          <span>
            <Visible text={label} />
          </span>
          {note !== undefined && (
            <small>
              <Visible text={note} />
            </small>
          )}
        </label>
      ))}
      {options.length === 0 && (
        <input
          type="text"
          className="field"
          aria-label={text}
          aria-describedby={hint === undefined ? undefined : `${name}-hint`}
          inputMode={typed === 'text' ? 'text' : typed === 'integer' ? 'numeric' : 'decimal'}
          autoComplete="off"
          maxLength={2_000}
          value={answer.text ?? ''}
          onChange={(event) => onChange({ text: event.target.value })}
        />
      )}
    </fieldset>
  )
}

/** An ended question, in one dashed line. */
export function EndedQuestion({
  question,
  resolution,
  when,
  isElsewhere,
}: {
  question: Pick<Question, 'items' | 'message' | 'url' | 'server' | 'requestedBy'>
  resolution: QuestionResolution
  when: string
  /** True if the question was answered on another page while this page showed it. */
  isElsewhere: boolean
}) {
  const asker = question.server === undefined ? askerOf(question) : `the server ${question.server}`
  return (
    <div className="question-ended" role="note">
      <span>
        <Visible text={`${asker} asked: ${gistOf(question)}`} />
        {resolution.end === 'answered' &&
          saidOf(question, resolution).map(({ text, isTyped }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place
            <Fragment key={at}>
              {at === 0 ? ' ' : ', '}
              <b>
                <Visible text={isTyped ? `“${text}”` : text} />
              </b>
            </Fragment>
          ))}
      </span>
      <small>
        <Visible text={endWords(resolution)} />
        {isElsewhere && ' on another screen'}, {when}
      </small>
    </div>
  )
}
