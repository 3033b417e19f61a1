import type { Question, QuestionResolution } from 'protocol'
import { useRef } from 'react'
import { signedIn } from '../api/auth.ts'
import { questions } from '../api/questions.ts'
import { EndedQuestion, QuestionCard } from '../features/questions/question-card.tsx'
import { timeOfDay } from '../lib/format.ts'
import { navigate } from '../lib/location.tsx'
import { useValue } from '../lib/use-value.ts'
import { live } from './live.ts'

const answeredHere = new Set<string>()

type Props = {
  question: Question
  sessionId: string
  /** The end of the question and its time, Unix ms; undefined: still open. */
  ended: (QuestionResolution & { at: number }) | undefined
  /** True if the question is shown in its own session, where the composer takes a free answer. */
  isInChat: boolean
}

/** A question with the answers that this person may give. */
export function LiveQuestion({ question, sessionId, ended, isInChat }: Props) {
  const { questionId, server } = question
  const mayAsk = useValue(signedIn)?.mayAsk === true
  const link = useValue(live.link.value)
  const sawOpen = useRef(ended === undefined)
  if (ended !== undefined) {
    const { at, ...resolution } = ended
    const isAnswer = ended.end === 'answered' || ended.end === 'declined'
    const isElsewhere = sawOpen.current && isAnswer && !answeredHere.has(questionId)
    return <EndedQuestion question={question} resolution={resolution} when={timeOfDay(at)} isElsewhere={isElsewhere} />
  }
  const answer = async (body: Parameters<typeof live.chat.answer>[2]) => {
    answeredHere.add(questionId)
    const reply = await live.chat.answer(sessionId, questionId, body)
    questions.renew()
    if (reply.ok) return undefined
    answeredHere.delete(questionId)
    return reply.error.message
  }
  const saySomethingElse = () => {
    if (isInChat) document.getElementById('composer')?.focus()
    else navigate(`/chat/${sessionId}`, { state: { write: true } })
  }
  const rest = !mayAsk
    ? 'An operator can answer this.'
    : link.status === 'live'
      ? undefined
      : 'No connection. You can answer when it is back.'
  return (
    <QuestionCard
      question={question}
      isHere={isInChat}
      hand={{ answer, rest, ...(server === undefined && { saySomethingElse }) }}
    />
  )
}
