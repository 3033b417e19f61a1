import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeSecrets } from 'secrets'

/** Seals a text in a new data dir and opens it again. */
export function example(): string {
  const dir = mkdtempSync(join(tmpdir(), 'secrets-'))
  mkdirSync(join(dir, 'data'))
  const box = makeSecrets(
    join(dir, 'data'),
    { file: join(dir, 'master.key') },
    { hasSealed: () => false, now: Date.now() },
  )
  return box.open('settings/example', box.seal('settings/example', 'hunter2'))
}
