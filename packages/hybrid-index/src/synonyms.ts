import { stemOf } from './words.ts'

/** Returns the synonyms of a word, both in the form that the keyword index stores; empty for most words. */
export type SynonymsOf = (word: string) => ReadonlySet<string>

const none: ReadonlySet<string> = new Set()
export const noSynonyms: SynonymsOf = () => none

/** @param groups words with nearly the same meaning: one group a line, words separated by spaces. A word may be in several groups. */
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

/** Returns the synonyms of a query's words (`queryWords`), without duplicates and without the words themselves. */
export function othersFor(words: readonly string[], synonymsOf: SynonymsOf): string[] {
  const asked = new Set(words)
  return [...new Set(words.flatMap((word) => [...synonymsOf(word)]))].filter((other) => !asked.has(other))
}
