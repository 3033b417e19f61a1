import {
  type Answer,
  type AnswerBody,
  JarvisError,
  type Question,
  type QuestionItem,
  type QuestionResolution,
} from 'protocol'

/**
 * Checks a person's answer against its question. A typed text that equals an option's label counts as choosing that option: the words then count as
 * the asker's and not as the person's.
 * @throws JarvisError `invalid_request` if the answer does not fit the question
 */
export function checkedAnswer(
  question: Pick<Question, 'items' | 'server'>,
  { answers, said, declined }: AnswerBody,
): Omit<QuestionResolution, 'by'> {
  if ([answers, said, declined].filter((one) => one !== undefined).length !== 1)
    throw refused('Give `answers`, `said` or `declined`, and only one of them.')
  if (declined) return { end: 'declined' }
  if (said !== undefined) {
    if (question.server !== undefined)
      throw refused('An attached server takes answers to its fields alone. Fill them in, or decline.')
    return { end: 'answered', said }
  }
  const { items } = question
  if (answers === undefined || answers.length !== items.length)
    throw refused(`This asks ${items.length}: give as many answers, in order; \`{}\` leaves one open.`)
  return { end: 'answered', answers: items.map((item, place) => checkedItem(item, answers[place] ?? {}, place + 1)) }
}

function checkedItem(item: QuestionItem, given: Answer, number: number): Answer {
  const problem = (why: string) => refused(`Answer ${number}: ${why}`)
  const text = given.text?.trim() ?? ''
  const same = item.options.findIndex(({ label }) => plain(label) === plain(text))
  const chosen = [...new Set([...(given.chosen ?? []), ...(same < 0 || text === '' ? [] : [same])])].sort(
    (a, b) => a - b,
  )
  const typed = same < 0 ? text : ''
  if (chosen.some((place) => place >= item.options.length)) throw problem(`there are ${item.options.length} options.`)
  if (chosen.length > 1 && item.isMultiple !== true) throw problem('only one option can be chosen.')
  if (typed !== '' && item.typed === 'none') throw problem('choose one of the options; it takes no text.')
  if (typed !== '' && item.typed !== 'text' && item.typed !== 'none' && !isNumber(typed, item.typed))
    throw problem(`it takes ${item.typed === 'integer' ? 'a whole number' : 'a number'}, such as 42.`)
  if (chosen.length === 0 && typed === '' && item.isRequired === true) throw problem('it must be answered.')
  return { ...(chosen.length > 0 && { chosen }), ...(typed !== '' && { text: typed }) }
}

const plain = (text: string) => text.normalize('NFKC').trim().toLowerCase().replace(/\s+/g, ' ')

function isNumber(text: string, kind: 'number' | 'integer') {
  const isDecimal = /^[+-]?\d{1,300}(?:\.\d{1,300})?(?:e[+-]?\d{1,3})?$/i.test(text)
  return isDecimal && (kind === 'number' ? Number.isFinite(Number(text)) : Number.isSafeInteger(Number(text)))
}

const refused = (why: string) => new JarvisError('invalid_request', `${why} Nothing was answered.`)
