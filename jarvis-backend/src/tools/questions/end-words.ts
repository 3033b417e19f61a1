import type { Asking, QuestionResolution } from 'protocol'

const allowsNothing = 'An answer allows nothing: a call that asks still waits for its card.'

/** Returns the text that tells the asking model how its question ended. */
export function endWords({ items }: Pick<Asking, 'items'>, { end, answers, said }: QuestionResolution): string {
  switch (end) {
    case 'unanswered':
      return 'Nobody answered within a day. Nothing was chosen: take no answer for granted. Do what needs no answer, and say what is open.'
    case 'declined':
      return 'The operator will not answer this. Nothing was chosen. Do not ask it again.'
    case 'withdrawn':
      return 'The question was withdrawn before anybody answered.'
    case 'answered':
      break
    default:
      end satisfies never
  }
  if (said !== undefined) return `The operator answered in their own words: ${said}\n${allowsNothing}`
  const lines = items.map(({ text, options }, place) => {
    const { chosen = [], text: typed } = answers?.[place] ?? {}
    const labels = chosen.map((each) => `"${options[each]?.label ?? ''}"`).join(', ')
    const parts = [labels === '' ? [] : `chosen: ${labels}`, typed === undefined ? [] : `typed: ${typed}`].flat()
    return `${place + 1}. ${text}\n   ${parts.length === 0 ? 'left open' : parts.join('; ')}`
  })
  return [...lines, allowsNothing].join('\n')
}

/** The end of a question in one line for people. */
export function endLine({ items }: Pick<Asking, 'items'>, { end, by, answers = [], said }: QuestionResolution): string {
  if (end !== 'answered') return { unanswered: 'unanswered', declined: `${by} declined`, withdrawn: 'withdrawn' }[end]
  if (said !== undefined) return `“${said}”`
  const each = answers.map(({ chosen = [], text }, place) =>
    [...chosen.map((at) => items[place]?.options[at]?.label ?? ''), ...(text === undefined ? [] : [`“${text}”`])].join(
      ', ',
    ),
  )
  return each.map((one) => one || 'left open').join('; ')
}
