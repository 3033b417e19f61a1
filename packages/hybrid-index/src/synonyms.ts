import { stemOf } from './words.ts'

/** Other words for one as the keyword index keeps it; empty for most. */
export type SynonymsOf = (word: string) => ReadonlySet<string>

const none: ReadonlySet<string> = new Set()
export const noSynonyms: SynonymsOf = () => none

/** @param groups words with nearly the same meaning, a group a line, separated by spaces; a word may stand in several. */
export function createSynonyms(groups: string): SynonymsOf {
  const byStem = new Map<string, Set<string>>()
  for (const group of groups.trim().split('\n')) {
    const stems = group.split(' ').map(stemOf)
    for (const stem of stems) {
      const others = byStem.get(stem) ?? new Set()
      for (const other of stems) if (other !== stem) others.add(other)
      byStem.set(stem, others)
    }
  }
  return (word) => byStem.get(word) ?? none
}

/** Other words for the words of a query (`queryWords`), each once. */
export function othersFor(words: readonly string[], synonymsOf: SynonymsOf): string[] {
  const asked = new Set(words)
  return [...new Set(words.flatMap((word) => [...synonymsOf(word)]))].filter((other) => !asked.has(other))
}
