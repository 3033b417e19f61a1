/** Maximum characters of a result that the model is given. A longer result is cut, and the model reads the rest with `read_result`. */
export const longestResult = 8_000
/** A result of at most this many characters is never replaced by its summary. */
export const shortResult = 400

/** Returns a result as the model first gets it: whole, or its beginning with a hint how to read the rest. @param id the id of the result’s call */
export function cutResult(text: string, id: string): string {
  if (text.length <= longestResult) return text
  const shown = text.slice(0, longestResult).toWellFormed()
  return `${shown}\n[JARVIS cut this: ${longestResult} of ${text.length} characters. read_result with id ${id} and offset ${longestResult} reads on.]`
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
