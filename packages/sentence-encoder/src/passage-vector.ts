import { dimensions, type SentenceEncoder } from './sentence-encoder.ts'

/** Sentences with fewer characters are joined with the next one, because alone they carry too little meaning. */
const leastChars = 80

/**
 * Returns the meaning of a passage: the mean of the vectors of its sentences, in lower case. The model was made for sentences. Of a whole passage it
 * would read only the first 128 pieces, and would mix their meanings.
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
