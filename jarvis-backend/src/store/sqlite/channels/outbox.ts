import type { Content, OutboxAct, OutboxEnd, OutboxEnding, OutboxItem, OutboxStore } from '../../../channels/ports.ts'
import { SqliteStore } from '../sqlite-store.ts'

type Row = {
  seq: number
  id: string
  recipient: string
  channel: string
  act: OutboxAct
  key: string
  content: string
  created_at: number
  not_before: number
  expires_at: number
  attempts: number
  is_open: number
  may_exist: number
  end: OutboxEnd | null
  ended_at: number | null
  ref: string | null
  why: string | null
}

const toItem = (row: Row): OutboxItem => ({
  id: row.id,
  seq: row.seq,
  recipient: row.recipient,
  channel: row.channel,
  act: row.act,
  key: row.key,
  content: JSON.parse(row.content) as Content,
  createdAt: row.created_at,
  notBefore: row.not_before,
  expiresAt: row.expires_at,
  attempts: row.attempts,
  isOpen: row.is_open === 1,
  mayExist: row.may_exist === 1,
  ...(row.end !== null && { end: row.end }),
  ...(row.ended_at !== null && { endedAt: row.ended_at }),
  ...(row.ref !== null && { ref: row.ref }),
  ...(row.why !== null && { why: row.why }),
})

const isOpen = ({ kind, until }: Content) => kind === 'card' || until !== undefined

export class SqliteOutboxStore extends SqliteStore implements OutboxStore {
  readonly #insert = this.sql.prepare(
    `INSERT INTO outbox (id, recipient, channel, act, key, content, created_at, not_before, expires_at, end, ended_at, why, is_card, is_notice)
     VALUES (@id, @recipient, @channel, @act, @key, @content, @createdAt, @notBefore, @expiresAt, @end, @endedAt, @why, @isCard, @isNotice)
     ON CONFLICT (recipient, act, key) DO NOTHING`,
  )
  readonly #select = this.sql.prepare<[string], Row>('SELECT * FROM outbox WHERE id = ?')
  readonly #selectRecipients = this.sql.prepare<[], { recipient: string }>(
    `WITH RECURSIVE found (recipient) AS (
       SELECT MIN(recipient) FROM outbox WHERE end IS NULL
       UNION ALL
       SELECT (SELECT MIN(recipient) FROM outbox WHERE end IS NULL AND outbox.recipient > found.recipient)
       FROM found WHERE found.recipient IS NOT NULL
     ) SELECT recipient FROM found WHERE recipient IS NOT NULL`,
  )
  readonly #selectHead = this.sql.prepare<[string, number], Row>(
    `SELECT * FROM outbox WHERE recipient = ? AND end IS NULL AND (not_before <= ? OR attempts > 0) ORDER BY seq LIMIT 1`,
  )
  readonly #selectSoonest = this.sql.prepare<[string], { at: number | null }>(
    'SELECT MIN(not_before) AS at FROM outbox WHERE recipient = ? AND end IS NULL',
  )
  readonly #count = this.sql.prepare<[], { n: number }>('SELECT COUNT(*) AS n FROM outbox WHERE end IS NULL')
  readonly #countOf = this.sql.prepare<[string], { n: number }>(
    'SELECT COUNT(*) AS n FROM outbox WHERE recipient = ? AND end IS NULL',
  )
  readonly #begin = this.sql.prepare(
    'UPDATE outbox SET attempts = attempts + 1, is_open = 1 WHERE id = ? AND end IS NULL',
  )
  readonly #again = this.sql.prepare(
    'UPDATE outbox SET is_open = 0, not_before = ?, why = ? WHERE id = ? AND end IS NULL',
  )
  readonly #end = this.sql.prepare(
    `UPDATE outbox SET end = @end, is_open = 0, ended_at = @at, ref = COALESCE(@ref, ref), why = @why
     WHERE id = @id AND end IS NULL`,
  )
  readonly #dropStale = this.sql.prepare(
    `UPDATE outbox SET is_open = 0, end = 'dropped', ended_at = @at, why = @why
     WHERE recipient = @recipient AND end IS NULL AND expires_at <= @at`,
  )
  readonly #dropOldest = this.sql.prepare(
    `UPDATE outbox SET end = 'dropped', ended_at = @at, why = @why WHERE seq IN (
       SELECT seq FROM outbox WHERE recipient = @recipient AND end IS NULL AND is_open = 0 AND is_notice = 1
       ORDER BY seq LIMIT @count)`,
  )
  readonly #dropAll = this.sql.prepare(
    `UPDATE outbox SET is_open = 0, end = 'dropped', ended_at = ?, why = ? WHERE recipient = ? AND end IS NULL`,
  )
  readonly #reopen = this.sql.prepare(
    'UPDATE outbox SET is_open = 0, may_exist = 1, why = ? WHERE end IS NULL AND is_open = 1',
  )
  readonly #selectOpenCards = this.sql.prepare<[], Row>('SELECT * FROM outbox WHERE is_card = 1 ORDER BY seq')
  readonly #countCards = this.sql.prepare<[string, number], { n: number }>(
    `SELECT COUNT(*) AS n FROM outbox WHERE recipient = ? AND created_at >= ? AND act = 'deliver' AND key LIKE 'card:%'`,
  )
  readonly #countNotices = this.sql.prepare<[string, number], { n: number }>(
    `SELECT COUNT(*) AS n FROM outbox WHERE recipient = ? AND created_at >= ? AND act = 'deliver' AND is_notice = 1 AND end IS NOT 'held'`,
  )
  readonly #selectKey = this.sql.prepare<[string, string], { id: string }>(
    `SELECT id FROM outbox WHERE recipient = ? AND act = 'deliver' AND key = ?`,
  )
  readonly #selectHeld = this.sql.prepare<[string, number], Row>(
    `SELECT * FROM outbox WHERE recipient = ? AND end = 'held' AND created_at >= ? ORDER BY seq LIMIT 1000`,
  )
  readonly #settle = this.sql.prepare('UPDATE outbox SET is_card = 0 WHERE id = ?')
  readonly #selectLog = this.sql.prepare<[number, number], Row>(
    'SELECT * FROM outbox WHERE seq < ? ORDER BY seq DESC LIMIT ?',
  )
  readonly #selectCounts = this.sql.prepare<[number], { end: OutboxEnd; n: number }>(
    'SELECT end, COUNT(*) AS n FROM outbox WHERE ended_at >= ? GROUP BY end',
  )
  // An open card is revised later, so its row stays.
  readonly #pruneOld = this.sql.prepare('DELETE FROM outbox WHERE ended_at < ? AND is_card = 0')
  readonly #pruneMany = this.sql.prepare(
    `DELETE FROM outbox WHERE is_card = 0 AND end IS NOT NULL AND ended_at <= (
       SELECT ended_at FROM outbox WHERE end IS NOT NULL ORDER BY ended_at DESC LIMIT 1 OFFSET ?)`,
  )

  add({ content, ...item }: Parameters<OutboxStore['add']>[0]): boolean {
    const row = {
      ...item,
      content: JSON.stringify(content),
      end: item.end ?? null,
      endedAt: item.endedAt ?? null,
      why: item.why ?? null,
      isCard: isOpen(content) && item.act === 'deliver' && item.end === undefined ? 1 : 0,
      isNotice: content.kind === 'notice' ? 1 : 0,
    }
    return this.#insert.run(row).changes === 1
  }

  get(id: string): OutboxItem | undefined {
    const row = this.#select.get(id)
    return row && toItem(row)
  }

  recipients(): string[] {
    return this.#selectRecipients.all().map(({ recipient }) => recipient)
  }

  head(recipient: string, now: number): OutboxItem | undefined {
    const row = this.#selectHead.get(recipient, now)
    return row && toItem(row)
  }

  soonest(recipient: string): number | undefined {
    return this.#selectSoonest.get(recipient)?.at ?? undefined
  }

  waiting(recipient?: string): number {
    return (recipient === undefined ? this.#count.get() : this.#countOf.get(recipient))?.n ?? 0
  }

  begin(id: string): void {
    this.#begin.run(id)
  }

  again(id: string, notBefore: number, why: string): void {
    this.#again.run(notBefore, why, id)
  }

  end(id: string, { end, at, ref, why }: OutboxEnding): boolean {
    return this.#end.run({ id, end, at, ref: ref ?? null, why: why ?? null }).changes === 1
  }

  dropStale(recipient: string, at: number, why: string): number {
    return this.#dropStale.run({ recipient, at, why }).changes
  }

  dropOldest(recipient: string, most: number, { at, why }: { at: number; why: string }): number {
    const over = (this.#countOf.get(recipient)?.n ?? 0) - most
    return over <= 0 ? 0 : this.#dropOldest.run({ recipient, count: over, at, why }).changes
  }

  dropAll(recipient: string, at: number, why: string): number {
    return this.#dropAll.run(at, why, recipient).changes
  }

  reopen(why: string): number {
    return this.#reopen.run(why).changes
  }

  openCards(): OutboxItem[] {
    return this.#selectOpenCards.all().map(toItem)
  }

  cardsSince(recipient: string, at: number): number {
    return this.#countCards.get(recipient, at)?.n ?? 0
  }

  has(recipient: string, key: string): boolean {
    return this.#selectKey.get(recipient, key) !== undefined
  }

  noticesSince(recipient: string, at: number): number {
    return this.#countNotices.get(recipient, at)?.n ?? 0
  }

  held(recipient: string, since: number): OutboxItem[] {
    return this.#selectHeld.all(recipient, since).map(toItem)
  }

  settle(id: string): void {
    this.#settle.run(id)
  }

  log({ limit, before }: { limit: number; before?: number }): OutboxItem[] {
    return this.#selectLog.all(before ?? Number.MAX_SAFE_INTEGER, limit).map(toItem)
  }

  counts(since: number): Record<OutboxEnd, number> {
    const found = Object.fromEntries(this.#selectCounts.all(since).map((row) => [row.end, row.n]))
    return { sent: 0, held: 0, dropped: 0, failed: 0, ...found }
  }

  prune(before: number, most: number): void {
    this.#pruneOld.run(before)
    this.#pruneMany.run(most)
  }
}
