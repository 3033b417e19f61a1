import type { AttachedStore, AttachedTierRow } from '../../calls/ports.ts'
import type { Database } from './database.ts'

type Row = Omit<AttachedTierRow, 'changedAt'> & { changedAt: number | null }

export function createAttachedStore({ sql }: Database): AttachedStore {
  const select = sql.prepare<[string, string], { tools: string }>(
    'SELECT tools FROM attached_servers WHERE name = ? AND origin = ?',
  )
  const keep = sql.prepare(
    `INSERT INTO attached_servers (name, origin, tools) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET origin = excluded.origin, tools = excluded.tools`,
  )
  const selectTiers = sql.prepare<[string], Row>(
    `SELECT tool_name AS toolName, hash, tier, set_by AS setBy, set_at AS setAt, changed_at AS changedAt
     FROM attached_tiers WHERE server = ?`,
  )
  const upsertTier = sql.prepare(
    `INSERT INTO attached_tiers (server, tool_name, hash, tier, set_by, set_at, changed_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (server, tool_name) DO UPDATE SET hash = excluded.hash, tier = excluded.tier,
       set_by = excluded.set_by, set_at = excluded.set_at, changed_at = excluded.changed_at`,
  )
  const removeServer = sql.prepare('DELETE FROM attached_servers WHERE name = ?')
  const removeTiers = sql.prepare('DELETE FROM attached_tiers WHERE server = ?')
  const selectProgram = sql.prepare<[string], { hash: string; by: string }>(
    'SELECT hash, allowed_by AS by FROM attached_programs WHERE server = ?',
  )
  const keepProgram = sql.prepare(
    `INSERT INTO attached_programs (server, hash, allowed_by, allowed_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (server) DO UPDATE SET hash = excluded.hash, allowed_by = excluded.allowed_by, allowed_at = excluded.allowed_at`,
  )
  const removeProgram = sql.prepare('DELETE FROM attached_programs WHERE server = ?')
  return {
    listed(server, origin) {
      const row = select.get(server, origin)
      return row && JSON.parse(row.tools)
    },
    keepListed: (server, origin, tools) => void keep.run(server, origin, JSON.stringify(tools)),
    tiers: (server) =>
      selectTiers.all(server).map(({ changedAt, ...row }) => ({ ...row, ...(changedAt !== null && { changedAt }) })),
    setTier: (server, { toolName, hash, tier, setBy, setAt, changedAt }) =>
      void upsertTier.run(server, toolName, hash, tier, setBy, setAt, changedAt ?? null),
    allowed: (server) => selectProgram.get(server),
    allow: (server, { hash, by, at }) => void keepProgram.run(server, hash, by, at),
    disallow: (server) => void removeProgram.run(server),
    forget(server) {
      removeProgram.run(server)
      removeServer.run(server)
      removeTiers.run(server)
    },
  }
}
