import { legible } from 'redaction/visible'

declare const spoken: unique symbol
/** A text that may leave the house: redacted, without characters that hide, short. Only `createSpeech` makes one. */
export type Spoken = string & { readonly [spoken]: true }

declare const told: unique symbol
/**
 * A text of a conversation: redacted, without characters that hide, of any length. It may hold what tools returned, so it goes to a `PairedChat`
 * alone. Only `createTelling` makes one.
 */
export type Told = string & { readonly [told]: true }
/** Makes a text of a conversation. */
export type Tell = (text: string) => Told

/** @param redact takes the secrets out, those of the channels too */
export const createTelling =
  (redact: (text: string) => string): Tell =>
  (text) =>
    legible(redact(text)) as Told

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
