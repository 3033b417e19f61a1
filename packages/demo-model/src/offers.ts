import { plain } from './words.ts'

/**
 * Marks around an offered sentence, and around one that the answer asks about. They are characters for private use, and are removed from whatever
 * comes from outside.
 */
const [begin, end, beginAsked] = ['\uE000', '\uE001', '\uE002'] as const
const marked = /([\uE000\uE002])([^\uE000-\uE002]*)\uE001/g

/** Marks a sentence that the person may send as it is. The answer quotes it, and a screen shows it as a button. */
export const offer = (sentence: string): string => `${begin}${sentence}${end}`

/** Marks an offered sentence that the answer asks about. Only such an answer makes `ok` mean the sentence; `yes` may mean any offer. */
export const ask = (sentence: string): string => `${beginAsked}${sentence}${end}`

const linesOf = (sentences: readonly string[], mark: (sentence: string) => string) =>
  sentences.map((sentence) => `- ${mark(sentence)}`).join('\n')

/** Lists sentences, one a line. */
export const offers = (sentences: readonly string[]): string => linesOf(sentences, offer)

/** Lists sentences that the answer asks about, one a line. */
export const asks = (sentences: readonly string[]): string => linesOf(sentences, ask)

export const withoutMarks = (text: string): string => text.replace(/[\uE000-\uE002]/g, '')

/** Returns an answer as a person reads it, the sentences that it offers, and if it asks about one of them. */
export function withOffers(text: string): { text: string; suggestions: string[]; isAsked: boolean } {
  const found = [...text.matchAll(marked)]
  return {
    text: withoutMarks(text.replace(marked, (_, __, sentence: string) => `“${plain(sentence)}”`)),
    suggestions: [...new Set(found.map(([, , sentence = '']) => sentence))],
    isAsked: found.some(([, mark]) => mark === beginAsked),
  }
}

/** Matches the offers at the end of an answer. */
const lastOffers = /\n\n(?:- [\uE000\uE002][^\n]*\uE001(?:\n|$))+$/

/** Adds a paragraph to an answer, before the offers at its end. */
export function withParagraph(text: string, paragraph: string): string {
  const at = lastOffers.exec(text)?.index ?? text.length
  return `${text.slice(0, at)}\n\n${paragraph}${text.slice(at)}`.trim()
}
