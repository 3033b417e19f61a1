import { installedModel, openSentenceEncoder, passageVector } from 'sentence-encoder'

const notes = [
  'The battery lasts eleven minutes when the power fails.',
  'The garden shed was painted green last summer.',
  'Jellyfin streams films to the television.',
]

/** @returns the note nearest in meaning to `question`. */
export function example(question: string): string | undefined {
  const encode = openSentenceEncoder(installedModel())
  const asked = passageVector(encode, question)
  // The vectors have length 1, so that the dot product is the cosine of their angle.
  const likeness = (text: string) =>
    passageVector(encode, text).reduce((sum, value, at) => sum + value * (asked[at] ?? 0), 0)
  return notes.toSorted((one, other) => likeness(other) - likeness(one))[0]
}
