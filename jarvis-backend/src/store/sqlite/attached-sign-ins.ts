import type { AttachedSignInStore } from '../../calls/ports.ts'
import type { Database } from './database.ts'

export function createAttachedSignInStore(
  { sql }: Pick<Database, 'sql'>,
  secrets: { seal(place: string, text: string): string; open(place: string, sealed: string): string },
): AttachedSignInStore {
  const select = sql.prepare<[], { server: string; sealed: string }>('SELECT server, sealed FROM attached_sign_ins')
  const upsert = sql.prepare(
    'INSERT INTO attached_sign_ins (server, sealed) VALUES (?, ?) ON CONFLICT (server) DO UPDATE SET sealed = excluded.sealed',
  )
  const remove = sql.prepare('DELETE FROM attached_sign_ins WHERE server = ?')
  const placeOf = (server: string) => `attached_sign_ins/${server}`
  function opened(server: string, sealed: string): string | undefined {
    try {
      return secrets.open(placeOf(server), sealed)
    } catch {
      return undefined
    }
  }
  return {
    all: () => new Map(select.all().map(({ server, sealed }) => [server, opened(server, sealed)])),
    keep: (server, text) => void upsert.run(server, secrets.seal(placeOf(server), text)),
    forget: (server) => void remove.run(server),
  }
}
