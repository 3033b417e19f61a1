import type { Content, Usage } from '../../protocol/index.ts'
import type { Database } from './database.ts'

/** Rows of `session_words` that one session may have, a title and its entries: 268 million. */
export const rowsOfSession = 2 ** 28
/** How long one piece of the work may hold everything else up. */
const sliceMs = 25
const settleMs = 1_000
const betweenSlicesMs = 10
const entriesAtOnce = 200

type Known = { number: number; title: string; nextSeq: number }
type Row = { seq: number; type: string; body: string }

/**
 * Brings words and totals of sessions up to date: a moment after a change, in pieces, and what is left when somebody asks.
 * @param costOf US dollars, or undefined where the price of the model is not known.
 */
export function createSessionIndex(
  { sql, atomically }: Database,
  parts: {
    costOf(model: string, usage: Usage): number | undefined
    /** Calls `run` after `ms`, unless the server goes down before. */
    later(ms: number, run: () => void): void
    report(error: unknown, message: string): void
  },
) {
  const selectKnown = sql.prepare<[string], Known>(
    'SELECT number, title, next_seq AS nextSeq FROM session_index WHERE session_id = ?',
  )
  const addKnown = sql.prepare<[string], Known>(
    `INSERT INTO session_index (session_id, title) VALUES (?, '') RETURNING number, title, next_seq AS nextSeq`,
  )
  const selectTitle = sql.prepare<[string], { title: string; copiedBelow: number }>(
    'SELECT title, copied_below AS copiedBelow FROM sessions WHERE id = ?',
  )
  const selectEntries = sql.prepare<[string, number], Row>(
    `SELECT seq, type, body FROM entries WHERE session_id = ? AND seq >= ? ORDER BY seq LIMIT ${entriesAtOnce}`,
  )
  const putWords = sql.prepare('INSERT OR REPLACE INTO session_words (rowid, text) VALUES (?, ?)')
  const update = sql.prepare(
    `UPDATE session_index SET title = ?, next_seq = ?, input_tokens = input_tokens + ?, output_tokens = output_tokens + ?,
       cache_read_tokens = cache_read_tokens + ?, cache_write_tokens = cache_write_tokens + ?, cost_usd = cost_usd + ?,
       unpriced = unpriced + ? WHERE number = ?`,
  )
  const selectStale = sql.prepare<[], { id: string }>(
    `SELECT sessions.id FROM sessions LEFT JOIN session_index ON session_index.session_id = sessions.id
     WHERE session_index.number IS NULL OR session_index.title <> sessions.title
       OR session_index.next_seq <= (SELECT MAX(seq) FROM entries WHERE entries.session_id = sessions.id)
     ORDER BY updated_at DESC`,
  )
  /** Undefined until it is known what an earlier process left. */
  let stale: Set<string> | undefined
  let isScheduled = false

  /** @returns whether all of the session is in. */
  function takeSome(sessionId: string): boolean {
    const session = selectTitle.get(sessionId)
    if (session === undefined) return true
    const known = selectKnown.get(sessionId) ?? addKnown.get(sessionId)
    if (known === undefined) return true
    const rows = selectEntries.all(sessionId, known.nextSeq)
    const base = BigInt(known.number) * BigInt(rowsOfSession)
    if (session.title !== known.title) putWords.run(base, session.title)
    const spent = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0, unpriced: 0 }
    for (const row of rows) {
      if (row.type !== 'user' && row.type !== 'assistant') continue
      const body = JSON.parse(row.body) as { text?: string; content?: Content[]; model?: string; usage?: Usage }
      const words = wordsOf(body)
      if (words !== '') putWords.run(base + BigInt(row.seq) + 1n, words)
      if (body.usage === undefined || body.model === undefined || row.seq < session.copiedBelow) continue
      for (const key of tokenKinds) spent[key] += body.usage[key]
      if (tokenKinds.every((key) => body.usage?.[key] === 0)) continue
      const costUsd = parts.costOf(body.model, body.usage)
      if (costUsd === undefined) spent.unpriced += 1
      else spent.costUsd += costUsd
    }
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd, unpriced } = spent
    const nextSeq = (rows.at(-1)?.seq ?? known.nextSeq - 1) + 1
    const totals = [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd, unpriced]
    update.run(session.title, nextSeq, ...totals, known.number)
    return rows.length < entriesAtOnce
  }

  /** Goes on for up to `forMs`. */
  function catchUp(forMs: number): 'done' | 'more' | 'failed' {
    try {
      const known = stale ?? new Set(selectStale.all().map(({ id }) => id))
      stale = known
      if (known.size > 0) atomically(() => takeFrom(known, performance.now() + forMs))
      return known.size === 0 ? 'done' : 'more'
    } catch (error) {
      // A full disk keeps nobody from reading. What of it was undone is found anew.
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
    /** What is left when somebody asks. @returns whether everything is in. */
    catchUp: (forMs: number) => catchUp(forMs) === 'done',
    /** Once the server has started. */
    schedule: () => schedule(settleMs),
    changed(sessionId: string) {
      stale?.add(sessionId)
      schedule(settleMs)
    },
  }
}

const tokenKinds = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const

/** What a message says, without thoughts and calls. */
export const wordsOf = ({ text, content = [] }: { text?: string; content?: readonly Content[] }): string =>
  text ?? content.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n')
