import { legible } from '../redaction/visible.ts'

declare const spoken: unique symbol
/** A text that may leave the house: redacted, without characters that hide, short. Only `createSpeech` makes one. */
export type Spoken = string & { readonly [spoken]: true }

/** Longest text of a message, characters. */
export const longestSpoken = 400

/** Makes a text that may leave the house; one that is too long ends with an ellipsis. */
export type Say = (text: string, mostChars?: number) => Spoken

/** @param redact takes the secrets out, those of the channels too */
export function createSpeech(redact: (text: string) => string): Say {
  return (text, mostChars = longestSpoken) => {
    const chars = [...legible(redact(text))]
    const shown = chars.length <= mostChars ? chars : [...chars.slice(0, mostChars - 1), '…']
    return shown.join('') as Spoken
  }
}
