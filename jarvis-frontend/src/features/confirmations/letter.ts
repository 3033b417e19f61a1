/** A letter that follows another this soon is part of a word, which neither arms nor denies, ms. */
const wordWithinMs = 700

/** The last letter that was typed on a card. `at`: the event's time stamp, ms. `isWord`: it continued a word. */
export type Letter = { key: string; at: number; isWord: boolean }
export const noLetter: Letter = { key: '', at: 0, isWord: false }

/** @returns the letter that an event types after `before` */
export function letterAfter(before: Letter, { key, timeStamp }: Pick<KeyboardEvent, 'key' | 'timeStamp'>): Letter {
  // A held key that repeats is not a letter of a word.
  const isOther = before.isWord || before.key !== key
  return { key, at: timeStamp, isWord: timeStamp - before.at < wordWithinMs && isOther }
}
