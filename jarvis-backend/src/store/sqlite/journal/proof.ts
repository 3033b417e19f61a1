import type { Receipt } from 'signing/receipt'
import type { JournalProof } from '../../../calls/ports.ts'
import type { Database } from '../database.ts'
import { firstHash, hashOf, type JournalRow } from './journal.ts'

/** Maximum number of entries that are searched for lost cards, so that the start does not get slower as the journal grows. */
const lookedBack = 5_000

/**
 * Proves decisions and grants by the journal. An entry is valid if it fits its neighbours and the journal agrees with its anchor. Searches from the
 * newest entry, because most questions concern recent entries.
 */
export function createJournalProof({ sql }: Database, agrees: () => boolean): JournalProof {
  const decisionOf = sql.prepare<[string], JournalRow>(
    `SELECT seq, at, kind, body, hash FROM journal
     WHERE kind = 'decision' AND json_valid(body) AND body ->> '$.toolUseId' = ? ORDER BY seq DESC LIMIT 1`,
  )
  const approvalsOf = sql.prepare<[string], JournalRow>(
    `SELECT seq, at, kind, body, hash FROM journal
     WHERE kind = 'approval' AND json_valid(body) AND body ->> '$.toolUseId' = ? ORDER BY seq`,
  )
  const madeOf = sql.prepare<[string], JournalRow>(
    `SELECT seq, at, kind, body, hash FROM journal
     WHERE kind = 'grant' AND json_valid(body) AND body ->> '$.grantId' = ? AND body ->> '$.change' = 'made'
     ORDER BY seq DESC LIMIT 1`,
  )
  const begunOf = sql.prepare<[string], JournalRow>(
    `SELECT seq, at, kind, body, hash FROM journal
     WHERE kind = 'execution' AND json_valid(body) AND body ->> '$.toolUseId' = ? ORDER BY seq DESC LIMIT 1`,
  )
  // The condition matches the index `journal_signers`.
  const signerOf = sql.prepare<[string, string], JournalRow>(
    `SELECT seq, at, kind, body, hash FROM journal
     WHERE kind = 'signer' AND json_valid(body) AND body ->> '$.type' = ? AND body ->> '$.id' = ?
       AND body ->> '$.change' IN ('added', 'removed')
     ORDER BY seq DESC LIMIT 1`,
  )
  const enrolmentOf = sql.prepare<[string, string], JournalRow>(
    `SELECT seq, at, kind, body, hash FROM journal
     WHERE kind = 'signer' AND json_valid(body) AND body ->> '$.type' = ? AND body ->> '$.id' = ?
       AND body ->> '$.change' = 'added' ORDER BY seq DESC LIMIT 1`,
  )
  const anySignerOf = sql.prepare<[string, string], object>(
    `SELECT 1 FROM journal
     WHERE kind = 'signer' AND json_valid(body) AND body ->> '$.type' = ? AND body ->> '$.person' = ? LIMIT 1`,
  )
  const at = sql.prepare<[number], JournalRow>('SELECT seq, at, kind, body, hash FROM journal WHERE seq = ?')
  const sealed = sql.prepare<[number], string>('SELECT last_hash FROM journal_segments WHERE last_seq = ?').pluck()
  const hashBefore = (seq: number) => (seq === 1 ? firstHash : (at.get(seq - 1)?.hash ?? sealed.get(seq - 1)))

  function bodyOf(row: JournalRow | undefined): Record<string, unknown> | undefined {
    const before = row && hashBefore(row.seq)
    if (row === undefined || before === undefined || hashOf(before, row) !== row.hash) return undefined
    const next = at.get(row.seq + 1)
    if ((next !== undefined && hashOf(row.hash, next) !== next.hash) || !agrees()) return undefined
    return JSON.parse(row.body) as Record<string, unknown>
  }
  return {
    approvedHash(toolUseId) {
      const body = bodyOf(decisionOf.get(toolUseId))
      return body?.decision === 'approved' && typeof body.bindingHash === 'string' ? body.bindingHash : undefined
    },
    approvals: (toolUseId, bindingHash) =>
      approvalsOf.all(toolUseId).flatMap((row) => {
        const body = bodyOf(row)
        if (body?.bindingHash !== bindingHash || typeof body.by !== 'string') return []
        const { by: person, breakGlass, receipt } = body as { by: string; breakGlass?: string; receipt?: Receipt }
        return [{ person, isAlone: typeof breakGlass === 'string', receipt }]
      }),
    execution: (toolUseId) => bodyOf(begunOf.get(toolUseId)),
    grant: (id) => bodyOf(madeOf.get(id)),
    signer(type, id) {
      const body = bodyOf(signerOf.get(type, id))
      return body?.change === 'added' ? body : undefined
    },
    enrolment: (type, id) => bodyOf(enrolmentOf.get(type, id)),
    decision: (toolUseId) => bodyOf(decisionOf.get(toolUseId)),
    hadSigner: (type, person) => anySignerOf.get(type, person) !== undefined,
  }
}

/** Counts cards that were asked and never decided according to the newest entries, and that are missing from the database. */
export function countLostCards({ sql }: Database): number {
  const count = sql
    .prepare<[object], number>(
      `WITH recent AS (
         SELECT kind, body FROM journal
         WHERE seq > (SELECT MAX(seq) FROM journal) - @lookedBack AND kind IN ('call', 'decision') AND json_valid(body)
       )
       SELECT COUNT(*) FROM (
         SELECT COALESCE(body ->> '$.card', body ->> '$.toolUseId') AS id FROM recent
         WHERE kind = 'call' AND body ->> '$.bindingHash' IS NOT NULL
         EXCEPT SELECT body ->> '$.toolUseId' FROM recent WHERE kind = 'decision'
         EXCEPT SELECT tool_use_id FROM confirmations
       )`,
    )
    .pluck()
  return count.get({ lookedBack }) ?? 0
}
