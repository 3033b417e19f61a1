import type { Entry, EntryOf, Question } from 'protocol'
import { cardQuestion } from '../card-question.ts'
import type { TalkOf } from '../ports.ts'
import { partsOf } from './parts.ts'
import type { TalkPorts } from './ports.ts'

/** An answer with more parts than this is sent as its first part and a link. */
const mostParts = 5
/** Files of a run that are sent; the dashboard has all. */
const mostFiles = 10
/** Longest result of a typed call that is shown, characters. */
const mostResult = 12_000

type Without<T, K extends string> = T extends unknown ? Omit<T, K> : never
type Message = Without<TalkOf, 'thread'>

/**
 * Facts about the run of an entry. `via`: the channel over which the run's message came. `isTyped`: the run is a call that a person typed, without a
 * model. `files`: files that the run wrote in its session's folder.
 */
export type RunFacts = { via?: string; isTyped: boolean; files: readonly string[] }

/** Returns the facts of a run. @param entries the entries of one run */
export function runFacts(entries: readonly Entry[]): RunFacts {
  const said = entries.find(({ type }) => type === 'user') as EntryOf<'user'> | undefined
  const isTyped = entries.some((entry) => entry.type === 'assistant' && entry.madeBy === 'operator')
  const files = new Set(entries.flatMap((entry) => (entry.type === 'tool_result' && entry.files) || []))
  return { ...(said?.via !== undefined && { via: said.via }), isTyped, files: [...files] }
}

/** The Markdown that shows an entry in a chat; undefined if the chat leaves the entry out. The dashboard shows more entries than a chat. */
export function textOf(entry: Entry, { isTyped }: Pick<RunFacts, 'isTyped'>): string | undefined {
  switch (entry.type) {
    case 'assistant': {
      // A model's text between its tool calls is shown only as a preview, and not sent as a message.
      if (entry.content.some(({ type }) => type === 'tool_call')) return undefined
      const text = entry.content.flatMap((item) => (item.type === 'text' ? item.text : [])).join('')
      return text.trim() === '' ? undefined : text
    }
    case 'tool_result':
      return isTyped ? resultText(entry) : undefined
    case 'blocked':
      return isTyped ? `Refused: ${entry.reason}` : undefined
    case 'error':
      return `That failed: ${entry.error}`
    case 'stuck':
      return entry.text
    case 'budget':
      return entry.what === 'stopped' ? entry.text : undefined
    case 'done':
      if (entry.stopReason === 'aborted') return 'Stopped.'
      if (entry.stopReason === 'max_tokens') return 'The answer was cut at its limit of tokens.'
      return entry.stopReason === 'refusal' ? 'The model refused to answer.' : undefined
    default:
      return undefined
  }
}

function resultText({ summary, result, isError }: EntryOf<'tool_result'>): string {
  const shown = result.length <= mostResult ? result : `${result.slice(0, mostResult).toWellFormed()}\n…`
  const ticks = '`'.repeat(Math.max(3, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length + 1)))
  return `${isError ? 'Failed: ' : ''}${asText(summary)}\n\n${ticks}\n${shown}\n${ticks}`
}

/** A text on one line, escaped so that no character has a meaning in Markdown. */
export const asText = (text: string) => text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]<>()#+\-.!|~]/g, '\\$&')

/** The parts of a message. A text with too many parts becomes its first part and a link to the rest. @param link of the session */
export function shownParts(text: string, mostChars: number, link: string | undefined): string[] {
  const parts = partsOf(text, mostChars)
  if (parts.length <= mostParts) return parts
  const [first = ''] = partsOf(text, mostChars - 200)
  const where = link ?? 'the dashboard'
  return [
    `${first.replace(/\n\n\(\d+\/\d+\)$/, '')}\n\nThis is the first part of ${parts.length}. Read the rest in ${where}`,
  ]
}

/** The messages that show an entry in a chat. */
export function messagesOf(
  entry: Entry,
  facts: RunFacts,
  shown: { sessionId: string; mostChars: number; link: string | undefined },
): Message[] {
  const { sessionId, mostChars, link } = shown
  if (entry.type === 'question') return [{ what: 'question', questionId: entry.questionId }]
  const text = textOf(entry, facts)
  const parts = text === undefined ? [] : shownParts(text, mostChars, link)
  const of = parts.length
  const pictures = entry.type === 'tool_result' ? (entry.images ?? []) : []
  const files = entry.type === 'done' ? facts.files.slice(0, mostFiles) : []
  return [
    ...parts.map((_, part): Message => ({ what: 'entry', sessionId, seq: entry.seq, part, of })),
    ...pictures.map(({ id }): Message => ({ what: 'picture', sessionId, image: id })),
    ...files.map((path): Message => ({ what: 'file', sessionId, path })),
  ]
}

/** The outbox's key for a question that is asked in a chat. */
export const questionKey = (questionId: string): string => `talk:question:${questionId}`

/** The text of a question, for a chat. */
export function questionText({ server, message, items }: Question, canTap: boolean): string {
  const who =
    server === undefined ? '' : `The server ${asText(server)} asks. ${message === undefined ? '' : asText(message)}\n\n`
  const asked = items.map(({ text, options, hint }) => {
    const choices = options.map(
      ({ label, note }) => `- ${asText(label)}${note === undefined ? '' : `: ${asText(note)}`}`,
    )
    return [`**${asText(text)}**`, ...(hint === undefined ? [] : [asText(hint)]), ...choices].join('\n')
  })
  const how =
    server !== undefined && !canTap
      ? 'Answer it in the dashboard.'
      : server !== undefined
        ? 'An answer allows nothing.'
        : `${canTap ? 'Tap an answer, or write' : 'Write'} one in your own words. An answer allows nothing.`
  return `${who}${asked.join('\n\n')}\n\n${how}`
}

/** Returns true if one tap answers the question. */
export const isTapped = ({ items }: Question): boolean =>
  items.length === 1 &&
  items[0]?.isMultiple !== true &&
  (items[0]?.options.length ?? 0) > 0 &&
  (items[0]?.options.length ?? 0) <= 10

/** Lines about the cards, questions and changes that wait for a person. */
export function waitingLines(
  { cards, questions, changes }: ReturnType<TalkPorts['waiting']>,
  hidesNames: boolean,
): string[] {
  const lines = [
    ...cards.map((card) => `– ${cardQuestion(card)}`),
    ...questions.map(({ items, message, url }) => `– a question: ${items[0]?.text ?? message ?? url ?? ''}`),
    ...changes.map(({ sentence }) => `– goes back by itself: ${sentence}`),
  ]
  if (lines.length === 0) return ['Nothing waits for you.']
  if (hidesNames) return [lines.length === 1 ? 'One thing waits for you.' : `${lines.length} things wait for you.`]
  const most = 8
  return [...lines.slice(0, most), ...(lines.length > most ? [`And ${lines.length - most} more.`] : [])]
}
