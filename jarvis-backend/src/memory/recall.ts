import type { Recalled } from '../protocol/index.ts'
import type { Memory } from './remote.ts'
import { queryWords } from './words.ts'

/** What recalled text may take of the model's window, and how long an answer waits for it. */
const budgetChars = 700 * 4
const waitMs = 300
const mostPassages = 5
/** A passage must stand high in one of the lists: the rest is what the search found for want of better. */
const highestRanks = { vector: 4, keyword: 6 }

/**
 * What the notes have to say to a message (conversations are there to be searched, not to be repeated), best first, within a budget of about 700 tokens. Nothing for a message that names
 * nothing, and nothing where the memory takes longer than a person would notice: an answer never waits for it.
 */
export function createRecall(memory: Memory) {
  return async (message: string): Promise<Recalled[]> => {
    if (!memory.hasNotes() || queryWords(message).length < 2) return []
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, waitMs, undefined)
    })
    const found = await Promise.race([
      memory.call('search', { query: message.slice(0, 500), limit: 10, kinds: ['file'] }).catch(() => undefined),
      late,
    ])
    clearTimeout(timer)
    const recalled: Recalled[] = []
    let left = budgetChars
    for (const { kind, name, title, firstLine, lastLine, changedAt, isFromTools, text, ...ranks } of found?.hits ??
      []) {
      const isHigh =
        (ranks.vectorRank ?? Number.POSITIVE_INFINITY) <= highestRanks.vector ||
        (ranks.keywordRank ?? Number.POSITIVE_INFINITY) <= highestRanks.keyword
      if (!isHigh || text.length > left) continue
      left -= text.length
      recalled.push({ kind, name, title, firstLine, lastLine, changedAt, isFromTools, text })
      if (recalled.length === mostPassages) break
    }
    return recalled
  }
}
