import { queryWords } from 'hybrid-index'
import type { MemoryHit, Recalled } from 'protocol'
import { ownHeading } from './daily.ts'
import type { SourceKind } from './ports.ts'
import type { Memory } from './remote.ts'

/** Limits of recalled text: characters (about 4 per token), and number of passages. `waitMs`: how long an answer waits for the memory. */
const budgetChars = 700 * 4
const waitMs = 300
const mostPassages = 5
/**
 * Worst rank, from 1, at which a passage is still recalled. A passage needs such a rank in only one of the two lists. Lower passages are rarely
 * relevant.
 */
const highestRanks = { vector: 4, keyword: 6 }

/**
 * Tests if a text holds the heartbeat's results. They are not recalled, because they repeat themselves and would crowd out notes. A search finds
 * them.
 */
const isBeat = (name: string) => /(?:^|\/)HEARTBEAT_RESULTS\.md$/i.test(name)

/** `problem`: why the notes were not searched, for a person. */
export type Recall = { items: Recalled[]; problem?: string }

/**
 * Recalls notes that fit a message, best first, about 700 tokens at most. Conversations and the heartbeat's results are not recalled. A message with fewer than two
 * meaningful words recalls nothing. Waits at most 300 ms.
 */
export function createRecall(memory: Memory) {
  /** @param kinds the kinds of texts that may be recalled */
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
        .call('search', { query: message.slice(0, 500), limit: 20, kinds: files })
        .catch((error: Error) => error.message),
      late,
    ])
    clearTimeout(timer)
    if (typeof found === 'string') {
      return { items: [], problem: `Your notes were not searched for this answer. ${found.replace(/\.?$/, '.')}` }
    }
    const recalled: Recalled[] = []
    let left = budgetChars
    const beats = found.hits.filter(({ name }) => isBeat(name))
    /** Returns a hit's rank in a list without the heartbeat's results. */
    const rankOf = (hit: MemoryHit, list: 'vectorRank' | 'keywordRank') => {
      const rank = hit[list] ?? Number.POSITIVE_INFINITY
      return rank - beats.filter((beat) => (beat[list] ?? Number.POSITIVE_INFINITY) < rank).length
    }
    for (const hit of found.hits) {
      const { kind, name, title, firstLine, lastLine, changedAt, isFromTools, text, heading } = hit
      if (isBeat(name)) continue
      const isHigh =
        rankOf(hit, 'vectorRank') <= highestRanks.vector || rankOf(hit, 'keywordRank') <= highestRanks.keyword
      if (!isHigh || text.length > left) continue
      left -= text.length
      const isOwnNote = isFromTools && `## ${heading.split(' > ').at(-1)}` === ownHeading
      recalled.push({
        kind,
        name,
        title,
        firstLine,
        lastLine,
        changedAt,
        isFromTools,
        text,
        ...(isOwnNote && { isOwnNote }),
      })
      if (recalled.length === mostPassages) break
    }
    return { items: recalled }
  }
}
