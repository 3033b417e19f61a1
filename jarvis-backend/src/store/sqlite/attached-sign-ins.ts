import type { AttachedSignInStore } from '../../calls/ports.ts'
import type { Database } from './database.ts'
import { SqliteStore } from './sqlite-store.ts'

const placeOf = (server: string) => `attached_sign_ins/${server}`

export class SqliteAttachedSignInStore extends SqliteStore implements AttachedSignInStore {
  readonly #secrets: { seal(place: string, text: string): string; open(place: string, sealed: string): string }
  readonly #select = this.sql.prepare<[], { server: string; sealed: string }>(
    'SELECT server, sealed FROM attached_sign_ins',
  )
  readonly #upsert = this.sql.prepare(
    'INSERT INTO attached_sign_ins (server, sealed) VALUES (?, ?) ON CONFLICT (server) DO UPDATE SET sealed = excluded.sealed',
  )
  readonly #remove = this.sql.prepare('DELETE FROM attached_sign_ins WHERE server = ?')

  constructor(
    database: Pick<Database, 'sql'>,
    secrets: { seal(place: string, text: string): string; open(place: string, sealed: string): string },
  ) {
    super(database)
    this.#secrets = secrets
  }

  all(): Map<string, string | undefined> {
    return new Map(this.#select.all().map(({ server, sealed }) => [server, this.#opened(server, sealed)]))
  }

  keep(server: string, text: string): void {
    this.#upsert.run(server, this.#secrets.seal(placeOf(server), text))
  }

  forget(server: string): void {
    this.#remove.run(server)
  }

  #opened(server: string, sealed: string): string | undefined {
    try {
      return this.#secrets.open(placeOf(server), sealed)
    } catch {
      return undefined
    }
  }
}
