import { useEffect, useState } from 'react'
import { live } from '../../app/live.ts'
import { overlay } from '../../app/overlay.ts'
import { leaveEmptyComposer } from '../../app/typing.ts'
import type { Act, Meaning } from '../../features/chat/commands.ts'
import type { SessionView } from '../../features/chat/state.ts'
import { plural } from '../../lib/format.ts'
import { navigate } from '../../lib/location.tsx'
import { useEscape } from '../../lib/use-escape.ts'
import { exportSession } from './export-session.ts'
import type { useSending } from './use-sending.ts'

/** Time in which a second Escape withdraws waiting cards and questions, ms. */
const warnedMs = 6_000

const elsewhere = {
  new: () => navigate('/', { state: { write: true } }),
  help: () => overlay.set('keys'),
}

type Asked = {
  sessionId: string | undefined
  view: SessionView | undefined
  mayWrite: boolean
  sending: ReturnType<typeof useSending>
  /** Opens the choice of a model. */
  onModel: () => void
}

/** The actions of a session: its commands, the sending of a text, and the stop on Escape. */
export function useActs({ sessionId, view, mayWrite, sending, onModel }: Asked) {
  const stop = () => {
    if (sessionId !== undefined && view?.runId !== undefined && mayWrite) void live.chat.abort(sessionId)
  }
  const onExport = () => {
    if (sessionId === undefined) sending.setProblem('There is nothing to export in a new chat.')
    else
      void exportSession(sessionId, view?.title ?? 'session').catch((error: Error) => sending.setProblem(error.message))
  }
  const acts: Record<Act, () => void> = { ...elsewhere, model: onModel, stop, export: onExport }
  /** The model's open question in this session. A message that the person writes answers it. */
  const question = view?.questions.find(({ server }) => server === undefined)
  const write = writing({ sessionId, question: question?.questionId, acts, sending })
  const warned = useWarnedStop(view, mayWrite, stop)
  return { acts, write, warned, question }
}

type Writing = {
  sessionId: string | undefined
  /** The id of the open question. */
  question: string | undefined
  acts: Record<Act, () => void>
  sending: ReturnType<typeof useSending>
}

/** Returns a function that runs a command of the dashboard, answers the question, or sends the text. */
function writing({ sessionId, question, acts, sending }: Writing) {
  const { attached, setProblem, putDraft, send } = sending
  return async (text: string) => {
    setProblem(undefined)
    if (question !== undefined && sessionId !== undefined && !text.startsWith('/')) {
      if (attached.current?.holdsBack()) return putDraft(text)
      const reply = await live.chat.answer(sessionId, question, { said: text })
      if (reply.ok) return
      setProblem(reply.error.message)
      putDraft(text)
      return
    }
    const meaning = text.startsWith('/') ? await meaningOf(text) : { send: text }
    if ('send' in meaning) await send(meaning.send)
    else if ('act' in meaning) acts[meaning.act]()
    else {
      setProblem(meaning.problem)
      putDraft(text)
    }
  }
}

const meaningOf = (text: string): Promise<Meaning> =>
  import('../../features/chat/commands.ts').then(
    (part) => part.meaningOf(text),
    () => ({ send: text }),
  )

/**
 * Stops the answer on Escape. If that would withdraw cards or questions, only a second Escape does it.
 * @returns what the second Escape would withdraw; undefined: none was pressed
 */
function useWarnedStop(view: SessionView | undefined, mayWrite: boolean, stop: () => void): string | undefined {
  const waits = waitingWords(view)
  const [isWarned, setWarned] = useState(false)
  useEffect(() => {
    if (!isWarned) return
    const timer = setTimeout(() => setWarned(false), warnedMs)
    return () => clearTimeout(timer)
  }, [isWarned])
  if (isWarned && waits === undefined) setWarned(false)
  const onEscape = () => {
    if (view?.runId === undefined) return leaveEmptyComposer()
    if (waits === undefined || isWarned) return stop()
    if (mayWrite) setWarned(true)
  }
  useEscape(onEscape, 'page')
  return isWarned ? waits : undefined
}

/** Names the cards and questions that a stop would withdraw; undefined if none wait. */
function waitingWords(view: SessionView | undefined): string | undefined {
  const cards = view?.pending.length ?? 0
  const questions = view?.questions.length ?? 0
  const words = [
    ...(cards > 0 ? [plural(cards, 'waiting confirmation')] : []),
    ...(questions > 0 ? [plural(questions, 'question')] : []),
  ]
  return words.length === 0 ? undefined : words.join(' and ')
}
