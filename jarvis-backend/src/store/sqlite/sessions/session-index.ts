import type { Content, Usage } from 'protocol'
import type { Database } from '../database.ts'
import { SqliteStore } from '../sqlite-store.ts'

/** Rows of `session_words` reserved for each session: its title and blocks of messages. */
export const rowsOfSession = 2 ** 28
/** Messages in each row. More messages make the search for common words faster, but a row is rewritten with each new message. */
export const messagesInBlock = 64
/** Longest time that a slice of indexing may block other work, ms. */
const sliceMs = 25
const settleMs = 1_000
const betweenSlicesMs = 10
const messagesAtOnce = 4 * messagesInBlock

type Known = { number: number; title: string; nextSeq: number; blockSeq: number; blockCount: number }
type Message = { seq: number; body: string }
type Body = { text?: string; content?: Content[]; model?: string; usage?: Usage; isUsagePartial?: true }

type Parts = {
  /** @returns US dollars; undefined if the model's price is unknown */
  costOf(model: string, usage: Usage): number | undefined
  /** Calls `run` after `ms`, unless the server shuts down first. */
  later(ms: number, run: () => void): void
  report(error: unknown, message: string): void
}

const columns = 'number, title, next_seq AS nextSeq, block_seq AS blockSeq, block_count AS blockCount'

/** Keeps the words and totals of sessions up to date: shortly after a change, in slices, and completely when somebody searches. */
export class SessionIndex extends SqliteStore {
  readonly #atomically: Database['atomically']
  readonly #parts: Parts
  readonly #selectKnown = this.sql.prepare<[string], Known>(`SELECT ${columns} FROM session_index WHERE session_id = ?`)
  readonly #addKnown = this.sql.prepare<[string], Known>(
    `INSERT INTO session_index (session_id, title) VALUES (?, '') RETURNING ${columns}`,
  )
  readonly #selectSession = this.sql.prepare<[string], { title: string; copiedBelow: number; lastSeq: number | null }>(
    `SELECT title, copied_below AS copiedBelow, (SELECT MAX(seq) FROM entries WHERE session_id = id) AS lastSeq
     FROM sessions WHERE id = ?`,
  )
  readonly #selectMessages = messagesFrom(this.sql, messagesAtOnce)
  readonly #putWords = this.sql.prepare('INSERT OR REPLACE INTO session_words (rowid, text) VALUES (?, ?)')
  readonly #update = this.sql.prepare(
    `UPDATE session_index SET title = ?, next_seq = ?, block_seq = ?, block_count = ?, input_tokens = input_tokens + ?,
       output_tokens = output_tokens + ?, cache_read_tokens = cache_read_tokens + ?,
       cache_write_tokens = cache_write_tokens + ?, cost_usd = cost_usd + ?, unpriced = unpriced + ?,
       partly_counted = partly_counted + ? WHERE number = ?`,
  )
  readonly #selectStale = this.sql.prepare<[], { id: string }>(
    `SELECT sessions.id FROM sessions LEFT JOIN session_index ON session_index.session_id = sessions.id
     WHERE session_index.number IS NULL OR session_index.title <> sessions.title
       OR session_index.next_seq <= (SELECT MAX(seq) FROM entries WHERE entries.session_id = sessions.id)
     ORDER BY updated_at DESC`,
  )
  /** Sessions to index; undefined until the database was asked for sessions that an earlier process left. */
  #stale: Set<string> | undefined
  #isScheduled = false

  constructor(database: Pick<Database, 'sql' | 'atomically'>, parts: Parts) {
    super(database)
    this.#atomically = database.atomically
    this.#parts = parts
  }

  /** Indexes the remaining sessions for up to `forMs`. @returns true if everything is indexed */
  catchUp(forMs: number): boolean {
    return this.#catchUp(forMs) === 'done'
  }

  /** Schedules indexing; called once the server has started. */
  schedule(): void {
    this.#scheduleIn(settleMs)
  }

  /** Schedules the indexing of a session whose entries or title have changed. */
  changed(sessionId: string): void {
    this.#stale?.add(sessionId)
    this.#scheduleIn(settleMs)
  }

  #catchUp(forMs: number): 'done' | 'more' | 'failed' {
    try {
      const stale = this.#stale ?? new Set(this.#selectStale.all().map(({ id }) => id))
      this.#stale = stale
      if (stale.size > 0) this.#atomically(() => this.#takeFrom(stale, performance.now() + forMs))
      return stale.size === 0 ? 'done' : 'more'
    } catch (error) {
      // A full disk must not prevent reading. Rolled-back work is found again through the database.
      this.#stale = undefined
      this.#parts.report(error, 'the list of sessions could not be brought up to date')
      return 'failed'
    }
  }

  #takeFrom(stale: Set<string>, until: number): void {
    for (const sessionId of stale) {
      while (!this.#takeSome(sessionId)) if (performance.now() >= until) return
      stale.delete(sessionId)
      if (performance.now() >= until) return
    }
  }

  #scheduleIn(ms: number): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#parts.later(ms, () => {
      this.#isScheduled = false
      if (this.#catchUp(sliceMs) === 'more') this.#scheduleIn(betweenSlicesMs)
    })
  }

  /** Indexes some messages. @returns true if the session is complete */
  #takeSome(sessionId: string): boolean {
    const session = this.#selectSession.get(sessionId)
    if (session === undefined) return true
    const known = this.#selectKnown.get(sessionId) ?? this.#addKnown.get(sessionId)
    if (known === undefined) return true
    const isBlockOpen = known.blockCount % messagesInBlock > 0
    const rows = this.#selectMessages.all(sessionId, isBlockOpen ? known.blockSeq : known.nextSeq)
    const messages = rows.map(({ seq, body }) => ({ seq, message: JSON.parse(body) as Body }))
    const isAll = messages.length < messagesAtOnce
    const base = BigInt(known.number) * BigInt(rowsOfSession)
    if (session.title !== known.title) this.#putWords.run(base, session.title)

    let block = { seq: known.blockSeq, count: isBlockOpen ? 0 : known.blockCount }
    let words: string[] = []
    const putBlock = () => {
      if (words.length > 0) this.#putWords.run(base + BigInt(block.seq) + 1n, words.join('\n'))
    }
    for (const { seq, message } of messages) {
      if (block.count % messagesInBlock === 0) {
        putBlock()
        words = []
        block = { seq, count: 0 }
      }
      block.count += 1
      words.push(wordsOf(message))
    }
    putBlock()
    const added = messages.filter(({ seq }) => seq >= known.nextSeq && seq >= session.copiedBelow)
    const nextSeq = 1 + ((isAll ? session.lastSeq : messages.at(-1)?.seq) ?? -1)
    this.#update.run(session.title, nextSeq, block.seq, block.count, ...this.#totalsOf(added), known.number)
    return isAll
  }

  /** The sums that messages add to a session's totals, in the order of the columns that `#update` names. */
  #totalsOf(added: readonly { message: Body }[]): number[] {
    const spent = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
    let [costUsd, unpriced, partial] = [0, 0, 0]
    for (const { message } of added) {
      const { usage, model } = message
      if (usage === undefined || model === undefined) continue
      if (message.isUsagePartial) partial += 1
      if (tokenKinds.every((kind) => usage[kind] === 0)) continue
      for (const kind of tokenKinds) spent[kind] += usage[kind]
      const cost = this.#parts.costOf(model, usage)
      if (cost === undefined) unpriced += 1
      else costUsd += cost
    }
    return [...tokenKinds.map((kind) => spent[kind]), costUsd, unpriced, partial]
  }
}

const tokenKinds = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const

/** A session's messages and answers from a seq on. Folds are included for their cost; they add no words. */
export const messagesFrom = (sql: Database['sql'], limit: number) =>
  sql.prepare<[string, number], Message>(
    `SELECT seq, body FROM entries WHERE session_id = ? AND seq >= ? AND type IN ('user', 'assistant', 'compaction')
     ORDER BY seq LIMIT ${limit}`,
  )

/** The text of a message, without thinking and tool calls. A fold has no words, because it repeats those of its entries. */
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
