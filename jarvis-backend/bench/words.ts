const vocabulary = [
  ' The',
  ' node',
  ' pve',
  ' runs',
  ' eight',
  ' guests',
  ' and',
  ' all',
  ' of',
  ' them',
  ' look',
  ' well.',
]

/**
 * The upstream's words, one a token; a stream starts at the first and goes round. Their order repeats itself only after 8,192 words, because JARVIS
 * stops a stream that says the same again and again. Source of the order: the generator of Numerical Recipes (`ranqd1`).
 */
export const words: string[] = []
for (let at = 0, state = 1; at < 8_192; at++) {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  words.push(vocabulary[Math.floor((state / 2 ** 32) * vocabulary.length)] ?? '')
}

/** How long the text of so many tokens is: what a client must have received, no more and no less. */
export function charsOf(tokens: number): number {
  let chars = 0
  for (let i = 0; i < tokens; i++) chars += wordAt(i).length
  return chars
}

export const wordAt = (i: number): string => words[i % words.length] ?? ''
