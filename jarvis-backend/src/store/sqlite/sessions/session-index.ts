import type { Content, Usage } from 'protocol'
import type { Database } from '../database.ts'

/** Rows of `session_words` reserved for each session: its title and blocks of messages. */
export const rowsOfSession = 2 ** 28
/** Messages per row. More messages make common words faster to look up, but a row is rewritten with each of them. */
export const messagesInBlock = 64
/** How long a slice of indexing may block other work, ms. */
const sliceMs = 25
const settleMs = 1_000
const betweenSlicesMs = 10
const messagesAtOnce = 4 * messagesInBlock

type Known = { number: number; title: string; nextSeq: number; blockSeq: number; blockCount: number }
type Message = { seq: number; body: string }

const columns = 'number, title, next_seq AS nextSeq, block_seq AS blockSeq, block_count AS blockCount'

/**
 * Keeps words and totals of sessions up to date: a moment after a change, in slices, and completely when somebody asks.
 * @param costOf US dollars, or undefined where the model's price is unknown
 */
export function createSessionIndex(
  { sql, atomically }: Database,
  parts: {
    costOf(model: string, usage: Usage): number | undefined
    /** Calls `run` after `ms`, unless the server shuts down first. */
    later(ms: number, run: () => void): void
    report(error: unknown, message: string): void
  },
) {
  const selectKnown = sql.prepare<[string], Known>(`SELECT ${columns} FROM session_index WHERE session_id = ?`)
  const addKnown = sql.prepare<[string], Known>(
    `INSERT INTO session_index (session_id, title) VALUES (?, '') RETURNING ${columns}`,
  )
  const selectSession = sql.prepare<[string], { title: string; copiedBelow: number; lastSeq: number | null }>(
    `SELECT title, copied_below AS copiedBelow, (SELECT MAX(seq) FROM entries WHERE session_id = id) AS lastSeq
     FROM sessions WHERE id = ?`,
  )
  const selectMessages = messagesFrom(sql, messagesAtOnce)
  const putWords = sql.prepare('INSERT OR REPLACE INTO session_words (rowid, text) VALUES (?, ?)')
  const update = sql.prepare(
    `UPDATE session_index SET title = ?, next_seq = ?, block_seq = ?, block_count = ?, input_tokens = input_tokens + ?,
       output_tokens = output_tokens + ?, cache_read_tokens = cache_read_tokens + ?,
       cache_write_tokens = cache_write_tokens + ?, cost_usd = cost_usd + ?, unpriced = unpriced + ?,
       partly_counted = partly_counted + ? WHERE number = ?`,
  )
  const selectStale = sql.prepare<[], { id: string }>(
    `SELECT sessions.id FROM sessions LEFT JOIN session_index ON session_index.session_id = sessions.id
     WHERE session_index.number IS NULL OR session_index.title <> sessions.title
       OR session_index.next_seq <= (SELECT MAX(seq) FROM entries WHERE entries.session_id = sessions.id)
     ORDER BY updated_at DESC`,
  )
  /** Sessions to index; undefined until the database was asked what an earlier process left. */
  let stale: Set<string> | undefined
  let isScheduled = false

  /** Indexes some messages. @returns whether the session is complete */
  function takeSome(sessionId: string): boolean {
    const session = selectSession.get(sessionId)
    if (session === undefined) return true
    const known = selectKnown.get(sessionId) ?? addKnown.get(sessionId)
    if (known === undefined) return true
    const isBlockOpen = known.blockCount % messagesInBlock > 0
    const messages = selectMessages.all(sessionId, isBlockOpen ? known.blockSeq : known.nextSeq)
    const isAll = messages.length < messagesAtOnce
    const base = BigInt(known.number) * BigInt(rowsOfSession)
    if (session.title !== known.title) putWords.run(base, session.title)

    const spent = {
      inputTokens: 0,
      outputTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      costUsd: 0,
      unpriced: 0,
      partial: 0,
    }
    let block = { seq: known.blockSeq, count: isBlockOpen ? 0 : known.blockCount }
    let words: string[] = []
    const putBlock = () => {
      if (words.length > 0) putWords.run(base + BigInt(block.seq) + 1n, words.join('\n'))
    }
    for (const { seq, body } of messages) {
      const message = JSON.parse(body) as {
        text?: string
        content?: Content[]
        model?: string
        usage?: Usage
        isUsagePartial?: true
      }
      if (block.count % messagesInBlock === 0) {
        putBlock()
        words = []
        block = { seq, count: 0 }
      }
      block.count += 1
      words.push(wordsOf(message))
      const { usage, model } = message
      if (seq < known.nextSeq || seq < session.copiedBelow || usage === undefined || model === undefined) continue
      if (message.isUsagePartial) spent.partial += 1
      if (tokenKinds.every((kind) => usage[kind] === 0)) continue
      for (const kind of tokenKinds) spent[kind] += usage[kind]
      const costUsd = parts.costOf(model, usage)
      if (costUsd === undefined) spent.unpriced += 1
      else spent.costUsd += costUsd
    }
    putBlock()
    const nextSeq = 1 + ((isAll ? session.lastSeq : messages.at(-1)?.seq) ?? -1)
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd, unpriced, partial } = spent
    const totals = [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd, unpriced, partial]
    update.run(session.title, nextSeq, block.seq, block.count, ...totals, known.number)
    return isAll
  }

  /** Indexes for up to `forMs`. */
  function catchUp(forMs: number): 'done' | 'more' | 'failed' {
    try {
      const known = stale ?? new Set(selectStale.all().map(({ id }) => id))
      stale = known
      if (known.size > 0) atomically(() => takeFrom(known, performance.now() + forMs))
      return known.size === 0 ? 'done' : 'more'
    } catch (error) {
      // A full disk must not prevent reading. Rolled-back work is found again through the database.
      stale = undefined
      parts.report(error, 'the list of sessions could not be brought up to date')
      return 'failed'
    }
  }

  function takeFrom(known: Set<string>, until: number) {
    for (const sessionId of known) {
      while (!takeSome(sessionId)) if (performance.now() >= until) return
      known.delete(sessionId)
      if (performance.now() >= until) return
    }
  }

  function schedule(ms: number) {
    if (isScheduled) return
    isScheduled = true
    parts.later(ms, () => {
      isScheduled = false
      if (catchUp(sliceMs) === 'more') schedule(betweenSlicesMs)
    })
  }

  return {
    /** Indexes what is left, for up to `forMs`. @returns whether everything is indexed */
    catchUp: (forMs: number) => catchUp(forMs) === 'done',
    /** Schedules indexing; called once the server has started. */
    schedule: () => schedule(settleMs),
    changed(sessionId: string) {
      stale?.add(sessionId)
      schedule(settleMs)
    },
  }
}

const tokenKinds = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const

/** A session's messages and answers from a seq on, and what folding cost, which has no words of its own. */
export const messagesFrom = (sql: Database['sql'], limit: number) =>
  sql.prepare<[string, number], Message>(
    `SELECT seq, body FROM entries WHERE session_id = ? AND seq >= ? AND type IN ('user', 'assistant', 'compaction')
     ORDER BY seq LIMIT ${limit}`,
  )

/** The text of a message, without thinking and tool calls. A fold repeats what its entries say. */
export const wordsOf = ({
  text,
  content = [],
  facts,
}: {
  text?: string
  content?: readonly Content[]
  facts?: unknown
}): string =>
  (facts === undefined ? text : '') ?? content.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n')
