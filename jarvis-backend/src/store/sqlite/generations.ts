import type { Generation, GenerationStore } from '../../homelab/identities.ts'
import type { Database } from './database.ts'
import { createSettings } from './settings.ts'

const clusterKey = 'guests_of'

/** The guest that each VMID belongs to. Earlier guests of a VMID are kept. */
export function createGenerationStore(database: Database): GenerationStore {
  const { sql, atomically } = database
  const settings = createSettings(database)
  const newest = sql
    .prepare<[], string>(
      `SELECT facts FROM guest_generations AS one WHERE id = (
         SELECT id FROM guest_generations WHERE vmid = one.vmid ORDER BY began_at DESC, id DESC LIMIT 1)`,
    )
    .pluck()
  const save = sql.prepare(
    `INSERT INTO guest_generations (id, vmid, began_at, seen_at, facts) VALUES (@id, @vmid, @seenAt, @seenAt, @facts)
     ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, facts = excluded.facts`,
  )
  return {
    keepOf(addresses) {
      const before = settings.get(clusterKey)
      const now = addresses.join(',')
      if (before === now) return
      atomically(() => {
        settings.set(clusterKey, now)
        if (before !== undefined && !before.split(',').some((address) => addresses.includes(address)))
          sql.exec('DELETE FROM guest_generations')
      })
    },
    newest: () => newest.all().map((facts) => JSON.parse(facts) as Generation),
    save(generations) {
      atomically(() => {
        for (const one of generations)
          save.run({ id: one.identity.id, vmid: one.vmid, seenAt: one.seenAt, facts: JSON.stringify(one) })
      })
    },
  }
}
