/** Maximum characters of a result that the model is given. A longer result is cut, and the model reads the rest with `read_result`. */
export const longestResult = 8_000
/** A result of at most this many characters is never replaced by its summary. */
export const shortResult = 400

/** The share of a cut text that is its beginning. The rest is its end, where a command or a log says how it ended. */
const headShare = 0.625

/**
 * Returns a text as the model first gets it: whole, or its first and last parts with a hint how to read what lies between.
 * @param id the id of the text for `read_result`
 * @param most maximum characters of the text
 */
export function cutResult(text: string, id: string, most = longestResult): string {
  if (text.length <= most) return text
  const head = most * headShare
  const left = text.length - most
  return `${text.slice(0, head).toWellFormed()}\n[JARVIS cut this: ${left} of ${text.length} characters are left out here. read_result with id ${id} and offset ${head} reads on.]\n${text.slice(head + left).toWellFormed()}`
}

/** Returns the short form of an earlier result, used when the window fills up: its summary, and how to read the whole result. */
export const putAway = (summary: string, id: string): string =>
  `${summary}\n[JARVIS put the whole result away. read_result with id ${id} shows it again.]`

/** A part of a stored result. @param offset in characters, from 0 */
export function pageOf(text: string, offset: number): { text: string; next?: number } {
  const end = Math.min(text.length, offset + longestPage)
  return { text: text.slice(offset, end).toWellFormed(), ...(end < text.length && { next: end }) }
}
/** Maximum characters of a page. It is less than `longestResult`, so that a page with its heading is not cut again. */
const longestPage = 7_500
