import { queryWords } from 'hybrid-index'
import type { Recalled } from '../protocol/index.ts'
import type { SourceKind } from './ports.ts'
import type { Memory } from './remote.ts'

/** Limits of recalled text (characters, about 4 per token) and of the time that an answer waits for it, ms. */
const budgetChars = 700 * 4
const waitMs = 300
const mostPassages = 5
/** A passage must rank this high in one of the lists; lower ones are rarely relevant. */
const highestRanks = { vector: 4, keyword: 6 }

/** `problem`: why the notes were not searched, for a person. */
export type Recall = { items: Recalled[]; problem?: string }

/**
 * Recalls notes that fit a message, best first, about 700 tokens at most. Conversations are not recalled. A message with fewer than two
 * meaningful words recalls nothing. Waits at most 300 ms.
 */
export function createRecall(memory: Memory) {
  /** @param kinds what may be recalled from */
  return async (message: string, kinds: readonly SourceKind[] = ['file']): Promise<Recall> => {
    const files = kinds.filter((kind) => kind.startsWith('file'))
    if (files.length === 0) return { items: [] }
    if (!memory.hasNotes() || queryWords(message).length < 2) return { items: [] }
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(resolve, waitMs, `The memory did not answer within ${waitMs / 1_000} s`)
    })
    const found = await Promise.race([
      memory
        .call('search', { query: message.slice(0, 500), limit: 10, kinds: files })
        .catch((error: Error) => error.message),
      late,
    ])
    clearTimeout(timer)
    if (typeof found === 'string') {
      return { items: [], problem: `Your notes were not searched for this answer. ${found.replace(/\.?$/, '.')}` }
    }
    const recalled: Recalled[] = []
    let left = budgetChars
    for (const { kind, name, title, firstLine, lastLine, changedAt, isFromTools, text, ...ranks } of found.hits) {
      const isHigh =
        (ranks.vectorRank ?? Number.POSITIVE_INFINITY) <= highestRanks.vector ||
        (ranks.keywordRank ?? Number.POSITIVE_INFINITY) <= highestRanks.keyword
      if (!isHigh || text.length > left) continue
      left -= text.length
      recalled.push({ kind, name, title, firstLine, lastLine, changedAt, isFromTools, text })
      if (recalled.length === mostPassages) break
    }
    return { items: recalled }
  }
}
