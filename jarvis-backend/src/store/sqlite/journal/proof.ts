import type { Receipt } from 'signing/receipt'
import type { JournalProof } from '../../../calls/ports.ts'
import type { Database } from '../database.ts'
import { SqliteStore } from '../sqlite-store.ts'
import { firstHash, hashOf, type JournalRow } from './journal.ts'

/** Maximum number of entries that are searched for lost cards, so that the start does not get slower as the journal grows. */
const lookedBack = 5_000

/**
 * Proves decisions and grants by the journal. An entry is valid if it fits its neighbours and the journal agrees with its anchor. Searches from the
 * newest entry, because most questions concern recent entries.
 */
export class SqliteJournalProof extends SqliteStore implements JournalProof {
  readonly #agrees: () => boolean
  readonly #decisionOf = this.sql.prepare<[string], JournalRow>(
    `SELECT seq, at, kind, body, hash FROM journal
     WHERE kind = 'decision' AND json_valid(body) AND body ->> '$.toolUseId' = ? ORDER BY seq DESC LIMIT 1`,
  )
  readonly #approvalsOf = this.sql.prepare<[string], JournalRow>(
    `SELECT seq, at, kind, body, hash FROM journal
     WHERE kind = 'approval' AND json_valid(body) AND body ->> '$.toolUseId' = ? ORDER BY seq`,
  )
  readonly #madeOf = this.sql.prepare<[string], JournalRow>(
    `SELECT seq, at, kind, body, hash FROM journal
     WHERE kind = 'grant' AND json_valid(body) AND body ->> '$.grantId' = ? AND body ->> '$.change' = 'made'
     ORDER BY seq DESC LIMIT 1`,
  )
  readonly #begunOf = this.sql.prepare<[string], JournalRow>(
    `SELECT seq, at, kind, body, hash FROM journal
     WHERE kind = 'execution' AND json_valid(body) AND body ->> '$.toolUseId' = ? ORDER BY seq DESC LIMIT 1`,
  )
  // The condition matches the index `journal_signers`.
  readonly #signerOf = this.sql.prepare<[string, string], JournalRow>(
    `SELECT seq, at, kind, body, hash FROM journal
     WHERE kind = 'signer' AND json_valid(body) AND body ->> '$.type' = ? AND body ->> '$.id' = ?
       AND body ->> '$.change' IN ('added', 'removed')
     ORDER BY seq DESC LIMIT 1`,
  )
  readonly #enrolmentOf = this.sql.prepare<[string, string], JournalRow>(
    `SELECT seq, at, kind, body, hash FROM journal
     WHERE kind = 'signer' AND json_valid(body) AND body ->> '$.type' = ? AND body ->> '$.id' = ?
       AND body ->> '$.change' = 'added' ORDER BY seq DESC LIMIT 1`,
  )
  readonly #anySignerOf = this.sql.prepare<[string, string], object>(
    `SELECT 1 FROM journal
     WHERE kind = 'signer' AND json_valid(body) AND body ->> '$.type' = ? AND body ->> '$.person' = ? LIMIT 1`,
  )
  readonly #at = this.sql.prepare<[number], JournalRow>('SELECT seq, at, kind, body, hash FROM journal WHERE seq = ?')
  readonly #sealed = this.sql
    .prepare<[number], string>('SELECT last_hash FROM journal_segments WHERE last_seq = ?')
    .pluck()

  constructor(database: Database, agrees: () => boolean) {
    super(database)
    this.#agrees = agrees
  }

  approvedHash(toolUseId: string): string | undefined {
    const body = this.#bodyOf(this.#decisionOf.get(toolUseId))
    return body?.decision === 'approved' && typeof body.bindingHash === 'string' ? body.bindingHash : undefined
  }

  approvals(toolUseId: string, bindingHash: string): { person: string; isAlone: boolean; receipt?: Receipt }[] {
    return this.#approvalsOf.all(toolUseId).flatMap((row) => {
      const body = this.#bodyOf(row)
      if (body?.bindingHash !== bindingHash || typeof body.by !== 'string') return []
      const { by: person, breakGlass, receipt } = body as { by: string; breakGlass?: string; receipt?: Receipt }
      return [{ person, isAlone: typeof breakGlass === 'string', receipt }]
    })
  }

  execution(toolUseId: string): Record<string, unknown> | undefined {
    return this.#bodyOf(this.#begunOf.get(toolUseId))
  }

  grant(id: string): Record<string, unknown> | undefined {
    return this.#bodyOf(this.#madeOf.get(id))
  }

  signer(type: string, id: string): Record<string, unknown> | undefined {
    const body = this.#bodyOf(this.#signerOf.get(type, id))
    return body?.change === 'added' ? body : undefined
  }

  enrolment(type: string, id: string): Record<string, unknown> | undefined {
    return this.#bodyOf(this.#enrolmentOf.get(type, id))
  }

  decision(toolUseId: string): Record<string, unknown> | undefined {
    return this.#bodyOf(this.#decisionOf.get(toolUseId))
  }

  hadSigner(type: string, person: string): boolean {
    return this.#anySignerOf.get(type, person) !== undefined
  }

  #hashBefore(seq: number) {
    return seq === 1 ? firstHash : (this.#at.get(seq - 1)?.hash ?? this.#sealed.get(seq - 1))
  }

  #bodyOf(row: JournalRow | undefined): Record<string, unknown> | undefined {
    const before = row && this.#hashBefore(row.seq)
    if (row === undefined || before === undefined || hashOf(before, row) !== row.hash) return undefined
    const next = this.#at.get(row.seq + 1)
    if ((next !== undefined && hashOf(row.hash, next) !== next.hash) || !this.#agrees()) return undefined
    return JSON.parse(row.body) as Record<string, unknown>
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
