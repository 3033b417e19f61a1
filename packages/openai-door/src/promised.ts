import type { Entry } from 'protocol'
import { callsIn } from 'protocol/settles'
import type { Ended, Writer } from './answer.ts'
import { ApiError } from './errors.ts'
import { formatFault } from './format.ts'
import type { AnswerFormat } from './turn.ts'

type Failing = Writer & { fail(error: ApiError): void }
type Turn = Extract<Entry, { type: 'assistant' }>

/** Requirements on an answer to a program. `format`: of its text. `mustCall`: it must call one of the program's own tools. */
export type Promised = { format?: AnswerFormat | undefined; mustCall?: boolean | undefined }

/**
 * Enforces the requirements on an answer. An answer in a format is sent in one piece after it was checked, with only the text of the last turn. If a
 * requirement is not met, the answer fails.
 */
export function promised<W extends Failing>(writer: W, { format, mustCall = false }: Promised): W {
  if (format === undefined && !mustCall) return writer
  const refuse = (code: string, message: string) =>
    writer.fail(new ApiError(code, message, { status: 502, isFinal: true }))
  const isMute = (end: Ended) => end.type === 'done' && end.handedOut.length === 0 && !isCut(end)

  if (format === undefined)
    return {
      ...writer,
      ended: (end) =>
        mustCall && isMute(end)
          ? refuse('tool_choice_not_met', 'The model answered in words, and called none of your tools.')
          : writer.ended(end),
    }

  let last: Turn | undefined
  return {
    ...writer,
    before() {},
    text() {},
    entry(entry) {
      if (entry.type !== 'assistant') return writer.entry?.(entry)
      if (callsIn(entry).length === 0) last = entry
      else writer.entry?.({ ...entry, content: entry.content.filter(({ type }) => type !== 'text') })
    },
    ended(end) {
      if (end.type === 'failed' || end.handedOut.length > 0) return writer.ended({ ...end, text: '' })
      if (mustCall && isMute(end))
        return refuse('tool_choice_not_met', 'The model answered in words, and called none of your tools.')
      const text = last === undefined ? end.text : wordsOf(last)
      const fault = isCut(end) ? undefined : formatFault(text, format)
      if (fault !== undefined)
        return refuse('format_not_met', `The model’s answer is not in the format that was asked for. ${fault}`)
      if (last !== undefined && writer.entry !== undefined) writer.entry(last)
      else if (text !== '') writer.text(text)
      writer.ended({ ...end, text })
    },
  }
}

/** True if an answer was cut off. It is sent as far as it came, and its reason says that it was cut off. */
const isCut = (end: Ended) => end.type === 'done' && (end.stopReason === 'max_tokens' || end.stopReason === 'refusal')

const wordsOf = ({ content }: Turn) => content.flatMap((item) => (item.type === 'text' ? item.text : [])).join('')
