import { plain } from './words.ts'

/** Marks around an offered sentence. They are characters for private use, and are removed from whatever comes from outside. */
const marks = ['\uE000', '\uE001'] as const
const marked = /\uE000([^\uE000\uE001]*)\uE001/g

/** Marks a sentence that the person may send as it is. The answer quotes it, and a screen shows it as a button. */
export const offer = (sentence: string): string => `${marks[0]}${sentence}${marks[1]}`

/** Lists sentences, one a line. */
export const offers = (sentences: readonly string[]): string =>
  sentences.map((sentence) => `- ${offer(sentence)}`).join('\n')

export const withoutMarks = (text: string): string => text.replace(/[\uE000\uE001]/g, '')

/** Returns an answer as a person reads it, and the sentences that it offers. */
export function withOffers(text: string): { text: string; suggestions: string[] } {
  const suggestions = [...new Set([...text.matchAll(marked)].map(([, sentence = '']) => sentence))]
  return { text: withoutMarks(text.replace(marked, (_, sentence: string) => `“${plain(sentence)}”`)), suggestions }
}

/** Matches the offers at the end of an answer. */
const lastOffers = /\n\n(?:- \uE000[^\n]*\uE001(?:\n|$))+$/

/** Adds a paragraph to an answer, before the offers at its end. */
export function withParagraph(text: string, paragraph: string): string {
  const at = lastOffers.exec(text)?.index ?? text.length
  return `${text.slice(0, at)}\n\n${paragraph}${text.slice(at)}`.trim()
}
