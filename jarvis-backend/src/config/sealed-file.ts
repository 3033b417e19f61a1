import { join } from 'node:path'
import { keptSecret } from '../lib/kept-secret.ts'
import { writeWhole } from '../lib/whole-file.ts'
import type { SecretBox } from '../secrets/index.ts'
import { openedWith } from './sealing.ts'

/** A secret that fills a file of the data dir, or a new one that is sealed there now. @throws ConfigError where it cannot be opened */
export function sealedOrMade(box: SecretBox, dataDir: string, name: string, make: () => string): string {
  const known = keptSecret(dataDir, name)
  if (known !== undefined) return openedWith(box, name, known)
  const made = make()
  writeWhole(join(dataDir, name), `${box.seal(name, made)}\n`)
  return made
}
