import type { AttachedStore, AttachedTierRow } from '../../calls/ports.ts'
import { SqliteStore } from './sqlite-store.ts'

type Row = Omit<AttachedTierRow, 'changedAt'> & { changedAt: number | null }

export class SqliteAttachedStore extends SqliteStore implements AttachedStore {
  readonly #select = this.sql.prepare<[string, string], { tools: string }>(
    'SELECT tools FROM attached_servers WHERE name = ? AND origin = ?',
  )
  readonly #keep = this.sql.prepare(
    `INSERT INTO attached_servers (name, origin, tools) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET origin = excluded.origin, tools = excluded.tools`,
  )
  readonly #selectTiers = this.sql.prepare<[string], Row>(
    `SELECT tool_name AS toolName, hash, tier, set_by AS setBy, set_at AS setAt, changed_at AS changedAt
     FROM attached_tiers WHERE server = ?`,
  )
  readonly #upsertTier = this.sql.prepare(
    `INSERT INTO attached_tiers (server, tool_name, hash, tier, set_by, set_at, changed_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (server, tool_name) DO UPDATE SET hash = excluded.hash, tier = excluded.tier,
       set_by = excluded.set_by, set_at = excluded.set_at, changed_at = excluded.changed_at`,
  )
  readonly #removeServer = this.sql.prepare('DELETE FROM attached_servers WHERE name = ?')
  readonly #removeTiers = this.sql.prepare('DELETE FROM attached_tiers WHERE server = ?')
  readonly #selectProgram = this.sql.prepare<[string], { hash: string; by: string }>(
    'SELECT hash, allowed_by AS by FROM attached_programs WHERE server = ?',
  )
  readonly #keepProgram = this.sql.prepare(
    `INSERT INTO attached_programs (server, hash, allowed_by, allowed_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (server) DO UPDATE SET hash = excluded.hash, allowed_by = excluded.allowed_by, allowed_at = excluded.allowed_at`,
  )
  readonly #removeProgram = this.sql.prepare('DELETE FROM attached_programs WHERE server = ?')

  listed(server: string, origin: string): unknown {
    const row = this.#select.get(server, origin)
    return row && JSON.parse(row.tools)
  }

  keepListed(server: string, origin: string, tools: unknown): void {
    this.#keep.run(server, origin, JSON.stringify(tools))
  }

  tiers(server: string): AttachedTierRow[] {
    return this.#selectTiers
      .all(server)
      .map(({ changedAt, ...row }) => ({ ...row, ...(changedAt !== null && { changedAt }) }))
  }

  setTier(server: string, { toolName, hash, tier, setBy, setAt, changedAt }: AttachedTierRow): void {
    this.#upsertTier.run(server, toolName, hash, tier, setBy, setAt, changedAt ?? null)
  }

  allowed(server: string): { hash: string; by: string } | undefined {
    return this.#selectProgram.get(server)
  }

  allow(server: string, { hash, by, at }: { hash: string; by: string; at: number }): void {
    this.#keepProgram.run(server, hash, by, at)
  }

  disallow(server: string): void {
    this.#removeProgram.run(server)
  }

  forget(server: string): void {
    this.#removeProgram.run(server)
    this.#removeServer.run(server)
    this.#removeTiers.run(server)
  }
}
