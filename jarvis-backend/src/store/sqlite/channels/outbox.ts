import type { Content, OutboxAct, OutboxEnd, OutboxItem, OutboxStore } from '../../../channels/ports.ts'
import type { Database } from '../database.ts'

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

export function createOutboxStore({ sql }: Database): OutboxStore {
  const insert = sql.prepare(
    `INSERT INTO outbox (id, recipient, channel, act, key, content, created_at, not_before, expires_at, end, ended_at, why, is_card, is_notice)
     VALUES (@id, @recipient, @channel, @act, @key, @content, @createdAt, @notBefore, @expiresAt, @end, @endedAt, @why, @isCard, @isNotice)
     ON CONFLICT (recipient, act, key) DO NOTHING`,
  )
  const select = sql.prepare<[string], Row>('SELECT * FROM outbox WHERE id = ?')
  const selectRecipients = sql.prepare<[], { recipient: string }>(
    `WITH RECURSIVE found (recipient) AS (
       SELECT MIN(recipient) FROM outbox WHERE end IS NULL
       UNION ALL
       SELECT (SELECT MIN(recipient) FROM outbox WHERE end IS NULL AND outbox.recipient > found.recipient)
       FROM found WHERE found.recipient IS NOT NULL
     ) SELECT recipient FROM found WHERE recipient IS NOT NULL`,
  )
  const selectHead = sql.prepare<[string, number], Row>(
    `SELECT * FROM outbox WHERE recipient = ? AND end IS NULL AND (not_before <= ? OR attempts > 0) ORDER BY seq LIMIT 1`,
  )
  const selectSoonest = sql.prepare<[string], { at: number | null }>(
    'SELECT MIN(not_before) AS at FROM outbox WHERE recipient = ? AND end IS NULL',
  )
  const count = sql.prepare<[], { n: number }>('SELECT COUNT(*) AS n FROM outbox WHERE end IS NULL')
  const countOf = sql.prepare<[string], { n: number }>(
    'SELECT COUNT(*) AS n FROM outbox WHERE recipient = ? AND end IS NULL',
  )
  const begin = sql.prepare('UPDATE outbox SET attempts = attempts + 1, is_open = 1 WHERE id = ? AND end IS NULL')
  const again = sql.prepare('UPDATE outbox SET is_open = 0, not_before = ?, why = ? WHERE id = ? AND end IS NULL')
  const end = sql.prepare(
    `UPDATE outbox SET end = @end, is_open = 0, ended_at = @at, ref = COALESCE(@ref, ref), why = @why
     WHERE id = @id AND end IS NULL`,
  )
  const dropStale = sql.prepare(
    `UPDATE outbox SET is_open = 0, end = 'dropped', ended_at = @at, why = @why
     WHERE recipient = @recipient AND end IS NULL AND expires_at <= @at`,
  )
  const dropOldest = sql.prepare(
    `UPDATE outbox SET end = 'dropped', ended_at = @at, why = @why WHERE seq IN (
       SELECT seq FROM outbox WHERE recipient = @recipient AND end IS NULL AND is_open = 0 AND is_notice = 1
       ORDER BY seq LIMIT @count)`,
  )
  const dropAll = sql.prepare(
    `UPDATE outbox SET is_open = 0, end = 'dropped', ended_at = ?, why = ? WHERE recipient = ? AND end IS NULL`,
  )
  const reopen = sql.prepare('UPDATE outbox SET is_open = 0, may_exist = 1, why = ? WHERE end IS NULL AND is_open = 1')
  const selectOpenCards = sql.prepare<[], Row>('SELECT * FROM outbox WHERE is_card = 1 ORDER BY seq')
  const countCards = sql.prepare<[string, number], { n: number }>(
    `SELECT COUNT(*) AS n FROM outbox WHERE recipient = ? AND created_at >= ? AND act = 'deliver' AND key LIKE 'card:%'`,
  )
  const countNotices = sql.prepare<[string, number], { n: number }>(
    `SELECT COUNT(*) AS n FROM outbox WHERE recipient = ? AND created_at >= ? AND act = 'deliver' AND is_notice = 1 AND end IS NOT 'held'`,
  )
  const selectKey = sql.prepare<[string, string], { id: string }>(
    `SELECT id FROM outbox WHERE recipient = ? AND act = 'deliver' AND key = ?`,
  )
  const selectHeld = sql.prepare<[string, number], Row>(
    `SELECT * FROM outbox WHERE recipient = ? AND end = 'held' AND created_at >= ? ORDER BY seq LIMIT 1000`,
  )
  const settle = sql.prepare('UPDATE outbox SET is_card = 0 WHERE id = ?')
  const selectLog = sql.prepare<[number, number], Row>('SELECT * FROM outbox WHERE seq < ? ORDER BY seq DESC LIMIT ?')
  const selectCounts = sql.prepare<[number], { end: OutboxEnd; n: number }>(
    'SELECT end, COUNT(*) AS n FROM outbox WHERE ended_at >= ? GROUP BY end',
  )
  // A card that is open is revised later, so it stays.
  const pruneOld = sql.prepare('DELETE FROM outbox WHERE ended_at < ? AND is_card = 0')
  const pruneMany = sql.prepare(
    `DELETE FROM outbox WHERE is_card = 0 AND end IS NOT NULL AND ended_at <= (
       SELECT ended_at FROM outbox WHERE end IS NOT NULL ORDER BY ended_at DESC LIMIT 1 OFFSET ?)`,
  )
  return {
    add: ({ content, ...item }) =>
      insert.run({
        ...item,
        content: JSON.stringify(content),
        end: item.end ?? null,
        endedAt: item.endedAt ?? null,
        why: item.why ?? null,
        isCard: isOpen(content) && item.act === 'deliver' && item.end === undefined ? 1 : 0,
        isNotice: content.kind === 'notice' ? 1 : 0,
      }).changes === 1,
    get(id) {
      const row = select.get(id)
      return row && toItem(row)
    },
    recipients: () => selectRecipients.all().map(({ recipient }) => recipient),
    head(recipient, now) {
      const row = selectHead.get(recipient, now)
      return row && toItem(row)
    },
    soonest: (recipient) => selectSoonest.get(recipient)?.at ?? undefined,
    waiting: (recipient) => (recipient === undefined ? count.get() : countOf.get(recipient))?.n ?? 0,
    begin: (id) => void begin.run(id),
    again: (id, notBefore, why) => void again.run(notBefore, why, id),
    end: (id, how, at, { ref, why }) => end.run({ id, end: how, at, ref: ref ?? null, why: why ?? null }).changes === 1,
    dropStale: (recipient, at, why) => dropStale.run({ recipient, at, why }).changes,
    dropOldest(recipient, most, at, why) {
      const over = (countOf.get(recipient)?.n ?? 0) - most
      return over <= 0 ? 0 : dropOldest.run({ recipient, count: over, at, why }).changes
    },
    dropAll: (recipient, at, why) => dropAll.run(at, why, recipient).changes,
    reopen: (why) => reopen.run(why).changes,
    openCards: () => selectOpenCards.all().map(toItem),
    cardsSince: (recipient, at) => countCards.get(recipient, at)?.n ?? 0,
    has: (recipient, key) => selectKey.get(recipient, key) !== undefined,
    noticesSince: (recipient, at) => countNotices.get(recipient, at)?.n ?? 0,
    held: (recipient, since) => selectHeld.all(recipient, since).map(toItem),
    settle: (id) => void settle.run(id),
    log: ({ limit, before }) => selectLog.all(before ?? Number.MAX_SAFE_INTEGER, limit).map(toItem),
    counts(since) {
      const found = Object.fromEntries(selectCounts.all(since).map((row) => [row.end, row.n]))
      return { sent: 0, held: 0, dropped: 0, failed: 0, ...found }
    },
    prune(before, most) {
      pruneOld.run(before)
      pruneMany.run(most)
    },
  }
}
