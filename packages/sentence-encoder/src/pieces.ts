/** Splits a text into pieces, as a unigram model does, and returns their numbers: the most probable sequence of pieces. */
export type Pieces = (text: string) => number[]

/** Number of entries at the start of the vocabulary that stand for no text. */
const reserved = 6
const unknown = 0
const space = '\u2581'

/** @param vocabulary each piece with the logarithm of its probability; the first entry stands for unknown text. */
export function createPieces(vocabulary: readonly (readonly [string, number])[]): Pieces {
  const numbers = new Map<string, number>()
  let longest = 1
  vocabulary.forEach(([piece], number) => {
    if (number < reserved) return
    numbers.set(piece, number)
    longest = Math.max(longest, piece.length)
  })

  return (text) => {
    const plain = text.normalize('NFKC')
    if (plain === '') return []
    const symbols = space + plain.replaceAll(' ', space)
    // By position: the best sum up to there, and the number and length of the piece that ends there.
    const best = new Float64Array(symbols.length + 1).fill(Number.NEGATIVE_INFINITY)
    const last = new Int32Array(symbols.length + 1)
    const lengths = new Uint8Array(symbols.length + 1)
    best[0] = 0
    // biome-ignore lint/complexity/useMaxParams: the innermost step, taken for each piece of each word without an object
    const offer = (from: number, length: number, number: number, worth: number) => {
      const sum = (best[from] as number) + worth
      if (sum < (best[from + length] as number)) return
      best[from + length] = sum
      last[from + length] = number
      lengths[from + length] = length
    }
    for (let from = 0; from < symbols.length; from += 1) {
      let isKnown = false
      for (let length = 1; length <= longest && from + length <= symbols.length; length += 1) {
        const number = numbers.get(symbols.slice(from, from + length))
        if (number === undefined) continue
        isKnown = true
        offer(from, length, number, vocabulary[number]?.[1] ?? 0)
      }
      if (!isKnown) offer(from, 1, unknown, 0)
    }
    const found: number[] = []
    for (let end = symbols.length; end > 0; end -= lengths[end] as number) {
      const number = last[end] as number
      // A run of unknown characters is one piece.
      if (number !== unknown || found.at(-1) !== unknown) found.push(number)
    }
    return found.reverse()
  }
}
