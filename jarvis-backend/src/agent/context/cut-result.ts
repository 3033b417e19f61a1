/** A longer result is cut for the model, which reads on with `read_result`. */
export const longestResult = 8_000
/** A result as short as this is never replaced by its summary. */
export const shortResult = 400

/** A result as a model is first given it: whole, or its beginning and how to read on. @param id of its call */
export function cutResult(text: string, id: string): string {
  if (text.length <= longestResult) return text
  const shown = text.slice(0, longestResult).toWellFormed()
  return `${shown}\n[JARVIS cut this: ${longestResult} of ${text.length} characters. read_result with id ${id} and offset ${longestResult} reads on.]`
}

/** A result of an earlier answer, once the window has filled up: its summary and how to read it again. */
export const putAway = (summary: string, id: string): string =>
  `${summary}\n[JARVIS put the whole result away. read_result with id ${id} shows it again.]`

/** A part of a stored result. @param offset in characters, from 0 */
export function pageOf(text: string, offset: number): { text: string; next?: number } {
  const end = Math.min(text.length, offset + longestPage)
  return { text: text.slice(offset, end).toWellFormed(), ...(end < text.length && { next: end }) }
}
/** Less than `longestResult`, so that a page with its heading is not cut itself. */
const longestPage = 7_500
