/** The upstream's words, one a token; a stream starts at the first and goes round. */
export const words = [
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

/** How long the text of so many tokens is: what a client must have received, no more and no less. */
export function charsOf(tokens: number): number {
  let chars = 0
  for (let i = 0; i < tokens; i++) chars += wordAt(i).length
  return chars
}

export const wordAt = (i: number): string => words[i % words.length] ?? ''
