import { JarvisError } from 'protocol'
import {
  isSealed,
  type KeySources,
  keyringMissing,
  makeSecrets,
  openSecrets,
  openToOthers,
  readKeys,
  type SecretBox,
  SecretsRefused,
} from 'secrets'
import { ConfigError } from './config-error.ts'
import { pathOf } from './path-of.ts'
import { hasSealed } from './sealed-files.ts'
import type { Leaf } from './secret-leaves.ts'

/** A data dir, and the places of its master keys. */
export type Sealing = { dataDir: string; secretKeys: KeySources }
/** Turns a text that may be sealed into the plain text. @throws ConfigError if it cannot be opened */
export type Opener = (place: string, text: string) => string

/** Leaves sealed texts as they are, for commands that use none. */
export const leaveSealed: Opener = (_place, text) => text

type Environment = Record<string, string | undefined>
const set = (value: string | undefined) => (value === undefined || value.trim() === '' ? undefined : value.trim())

/** The places of the master keys that the environment names. */
export function keySources(env: Environment): KeySources {
  const given = set(env.JARVIS_SECRETS_KEY)
  const file = set(env.JARVIS_SECRETS_KEY_FILE)
  const credentials = set(env.CREDENTIALS_DIRECTORY)
  return {
    given,
    ...(file !== undefined && { file: pathOf(file) }),
    credentials,
  }
}

/** Opens sealed texts of a data dir. The keys are read when the first sealed text is opened. */
export function openerOf({ dataDir, secretKeys }: Sealing): Opener {
  let box: SecretBox | undefined
  return (place, text) => {
    if (!isSealed(text)) return text
    return named(() => {
      box ??= openSecrets(dataDir, secretKeys)
      if (box === undefined) throw new SecretsRefused(keyringMissing(dataDir))
      return box.open(place, text)
    })
  }
}

/** @throws ConfigError */
export const openedWith = (box: SecretBox, place: string, text: string): string =>
  isSealed(text) ? named(() => box.open(place, text)) : text

/** Opens the secrets of a data dir for sealing. Makes the keys if nothing was sealed yet. @throws ConfigError */
export const boxOf = ({ dataDir, secretKeys }: Sealing): SecretBox =>
  named(() => makeSecrets(dataDir, secretKeys, { hasSealed: () => hasSealed(dataDir), now: Date.now() }))

/** Checks that existing secrets can be opened. Changes nothing. @throws ConfigError if the key is missing or a different one */
export const requireKey = ({ dataDir, secretKeys }: Sealing): void =>
  named(() => {
    if (openSecrets(dataDir, secretKeys) === undefined && hasSealed(dataDir))
      throw new SecretsRefused(keyringMissing(dataDir))
  })

/** Opens secrets, and puts the plain texts back into the value in which they were found. @throws ConfigError */
export function openLeaves(leaves: readonly Leaf[], open: Opener): void {
  for (const { place, text, put } of leaves) put(open(place, text))
}

/** The texts of the present master keys, for the redactor. Removes other accounts' access to the key files if possible. */
export function masterTexts({ dataDir, secretKeys }: Sealing): string[] {
  const { places, masters } = named(() => readKeys(dataDir, secretKeys))
  openToOthers(places, true)
  return masters.map(({ text }) => text)
}

/**
 * Seals plain secrets, and puts the sealed texts back into the value in which they were found. @throws JarvisError `conflict` if the key is missing
 * or a different one
 */
export function sealLeaves(leaves: readonly Leaf[], of: Sealing): void {
  const plain = leaves.filter(({ text }) => !isSealed(text))
  if (plain.length === 0) return
  asConflict(() => {
    const box = boxOf(of)
    for (const { place, text, put } of plain) put(named(() => box.seal(place, text)))
  })
}

/** Runs work of a request. @throws JarvisError `conflict` instead of a ConfigError */
export function asConflict<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof ConfigError) throw new JarvisError('conflict', error.message)
    throw error
  }
}

function named<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof SecretsRefused) throw new ConfigError(error.message)
    throw error
  }
}
