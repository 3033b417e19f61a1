import type { Settings } from '../../auth/password.ts'
import type { Generation, GenerationStore } from '../../homelab/identities.ts'
import type { Database } from './database.ts'
import { SqliteSettings } from './settings.ts'
import { SqliteStore } from './sqlite-store.ts'

const clusterKey = 'guests_of'

/** The guest that each VMID belongs to. Earlier guests of a VMID are kept. */
export class SqliteGenerationStore extends SqliteStore implements GenerationStore {
  readonly #atomically: Database['atomically']
  readonly #settings: Settings
  readonly #newest = this.sql
    .prepare<[], string>(
      `SELECT facts FROM guest_generations AS one WHERE id = (
         SELECT id FROM guest_generations WHERE vmid = one.vmid ORDER BY began_at DESC, id DESC LIMIT 1)`,
    )
    .pluck()
  readonly #save = this.sql.prepare(
    `INSERT INTO guest_generations (id, vmid, began_at, seen_at, facts) VALUES (@id, @vmid, @seenAt, @seenAt, @facts)
     ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, facts = excluded.facts`,
  )

  constructor(database: Database) {
    super(database)
    this.#atomically = database.atomically
    this.#settings = new SqliteSettings(database)
  }

  keepOf(addresses: readonly string[]): void {
    const before = this.#settings.get(clusterKey)
    const now = addresses.join(',')
    if (before === now) return
    this.#atomically(() => {
      this.#settings.set(clusterKey, now)
      if (before !== undefined && !before.split(',').some((address) => addresses.includes(address)))
        this.sql.exec('DELETE FROM guest_generations')
    })
  }

  newest(): Generation[] {
    return this.#newest.all().map((facts) => JSON.parse(facts) as Generation)
  }

  save(generations: readonly Generation[]): void {
    this.#atomically(() => {
      for (const one of generations)
        this.#save.run({ id: one.identity.id, vmid: one.vmid, seenAt: one.seenAt, facts: JSON.stringify(one) })
    })
  }
}
