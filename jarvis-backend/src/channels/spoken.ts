import { legible } from 'redaction/visible'

declare const spoken: unique symbol
/** A text that may leave JARVIS: redacted, short, and without invisible characters. Only `createSpeech` makes one. */
export type Spoken = string & { readonly [spoken]: true }

declare const told: unique symbol
/**
 * A text of a conversation: redacted, of any length, and without invisible characters. It may hold results of tools, so it is sent only to a
 * `PairedChat`. Only `createTelling` makes one.
 */
export type Told = string & { readonly [told]: true }
/** Makes a text of a conversation. */
export type Tell = (text: string) => Told

/** Returns the function that makes texts of conversations. @param redact removes the secrets, also those of the channels */
export const createTelling =
  (redact: (text: string) => string): Tell =>
  (text) =>
    legible(redact(text)) as Told

/** Longest text of a message, characters. */
export const longestSpoken = 400

/** Makes a text that may leave JARVIS. A longer text is cut and ends with an ellipsis. */
export type Say = (text: string, mostChars?: number) => Spoken

/** Returns the function that makes texts for channels. @param redact removes the secrets, also those of the channels */
export function createSpeech(redact: (text: string) => string): Say {
  return (text, mostChars = longestSpoken) => {
    const chars = [...legible(redact(text))]
    const shown = chars.length <= mostChars ? chars : [...chars.slice(0, mostChars - 1), '…']
    return shown.join('') as Spoken
  }
}
