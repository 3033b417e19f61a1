import { dimensions, type SentenceEncoder } from './sentence-encoder.ts'

/** Shorter sentences are read together with the next: alone they say too little. */
const leastChars = 80

/**
 * The meaning of a passage: the mean of its sentences', in lower case. The model was made for sentences: of a whole passage
 * it sees the first 128 pieces, and what it sees of them runs together.
 */
export function passageVector(encode: SentenceEncoder, text: string): Float32Array {
  const sum = new Float32Array(dimensions)
  for (const sentence of sentencesOf(text.toLowerCase())) {
    encode(sentence).forEach((value, at) => {
      sum[at] = (sum[at] as number) + value
    })
  }
  const length = Math.hypot(...sum)
  return length === 0 ? sum : sum.map((value) => value / length)
}

function sentencesOf(text: string): string[] {
  const found: string[] = []
  for (const sentence of text.split(/(?<=[.!?:;])\s+|\n+/)) {
    const last = found.at(-1)
    if (sentence.trim() === '') continue
    if (last !== undefined && last.length < leastChars) found[found.length - 1] = `${last} ${sentence}`
    else found.push(sentence)
  }
  return found
}
