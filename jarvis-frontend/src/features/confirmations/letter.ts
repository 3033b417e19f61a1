/** If a letter follows another within this time, ms, it is part of a word and neither arms nor denies. */
const wordWithinMs = 700

/** The last letter that was typed on a card. `at`: the event's time stamp, ms. `isWord`: it continued a word. */
export type Letter = { key: string; at: number; isWord: boolean }
export const noLetter: Letter = { key: '', at: 0, isWord: false }

/** Returns the letter of an event that follows `before`. */
export function letterAfter(before: Letter, { key, timeStamp }: Pick<KeyboardEvent, 'key' | 'timeStamp'>): Letter {
  // A repeating held key is not part of a word.
  const isOther = before.isWord || before.key !== key
  return { key, at: timeStamp, isWord: timeStamp - before.at < wordWithinMs && isOther }
}
