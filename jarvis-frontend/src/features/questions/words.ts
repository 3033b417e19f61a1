import type { Answer, Asking, Question, QuestionResolution } from 'protocol'

/** The name of the asker in the first line of a question. */
export const askerOf = ({ server, requestedBy }: Pick<Question, 'server' | 'requestedBy'>): string =>
  server ?? requestedBy.agent ?? 'main'

/** Returns a question in one line, for a list. */
export function gistOf({ items, message, url }: Asking): string {
  const first = items[0]?.text ?? message ?? url ?? ''
  return items.length > 1 ? `${first} and ${items.length - 1} more` : first
}

/** Part of an answer. A chosen option is shown unchanged, typed text in quotes. */
export type Said = { text: string; isTyped: boolean }

/** Returns the parts of the answer to a question. */
export function saidOf({ items }: Pick<Asking, 'items'>, { answers = [], said }: QuestionResolution): Said[] {
  if (said !== undefined) return [{ text: said, isTyped: true }]
  return items.flatMap(({ options }, place) => {
    const { chosen = [], text } = answers[place] ?? {}
    const picked = chosen.map((at) => ({ text: options[at]?.label ?? '', isTyped: false }))
    const typed = text === undefined ? [] : [{ text, isTyped: true }]
    return picked.length + typed.length === 0 ? [{ text: 'left open', isTyped: false }] : [...picked, ...typed]
  })
}

/** Describes the end of a question: `chosen by mira`, `answered by mira`, … */
export function endWords({ end, by, answers = [], said }: QuestionResolution): string {
  if (end === 'unanswered') return 'unanswered after a day'
  if (end === 'withdrawn') return 'withdrawn'
  if (end === 'declined') return `declined by ${by}`
  const isChosen = said === undefined && answers.every(({ text }) => text === undefined)
  return `${isChosen ? 'chosen' : 'answered'} by ${by}`
}

/** Says which required items are missing before the answer can be sent; undefined if none is missing. */
export function missingOf({ items }: Pick<Asking, 'items'>, answers: readonly Answer[]): string | undefined {
  const isOpen = (place: number) => !isGiven(answers[place])
  const needed = items.flatMap(({ isRequired }, place) => (isRequired === true && isOpen(place) ? [place + 1] : []))
  if (needed.length > 0)
    return needed.length === 1 ? `${needed[0]} must be answered` : `${needed.join(', ')} must be answered`
  const isAllOpen = items.length > 0 && items.every((_, place) => isOpen(place))
  return isAllOpen ? 'nothing is answered yet' : undefined
}

const isGiven = ({ chosen = [], text = '' }: Answer = {}) => chosen.length > 0 || text.trim() !== ''

/** The label of the send button: `Send 2 answers`; `Send 1 of 2 answers` if the other question stays open. @param answers one for each question */
export function sendWords(answers: readonly Answer[]): string {
  const count = answers.length
  const given = answers.filter((answer) => isGiven(answer)).length
  if (count <= 1) return count === 0 ? 'Done' : 'Send the answer'
  return given > 0 && given < count ? `Send ${given} of ${count} answers` : `Send ${count} answers`
}
