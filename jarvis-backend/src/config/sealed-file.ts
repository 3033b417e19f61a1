import { join } from 'node:path'
import { writeWhole } from 'node-kit/whole-file'
import type { SecretBox } from 'secrets'
import { keptSecret } from '../lib/kept-secret.ts'
import { openedWith } from './sealing.ts'

/** Reads the secret that fills a file of the data dir, or makes a new one and stores it sealed. @throws ConfigError if it cannot be opened */
export function sealedOrMade(
  box: SecretBox,
  { dataDir, name }: { dataDir: string; name: string },
  make: () => string,
): string {
  const known = keptSecret(dataDir, name)
  if (known !== undefined) return openedWith(box, name, known)
  const made = make()
  writeWhole(join(dataDir, name), `${box.seal(name, made)}\n`)
  return made
}
