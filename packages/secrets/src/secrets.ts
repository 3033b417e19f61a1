import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeWhole } from 'node-kit/whole-file'
import { createBox, type SecretBox } from './box.ts'
import { SecretsRefused } from './cipher.ts'
import { type Keyring, keyringName, keyringText, newDataKey, parseKeyring, readKeyring, unwrapAll } from './keyring.ts'
import {
  type KeyPlace,
  type KeySources,
  keyPlaces,
  type MasterKey,
  makeKeyFile,
  masterKeys,
  wordsOf,
} from './master-keys.ts'

/** Everything about the keys of a data dir. `keyring`: undefined if nothing was sealed yet. */
export type Keys = {
  places: readonly [KeyPlace, ...KeyPlace[]]
  masters: readonly MasterKey[]
  keyring: Keyring | undefined
  open: ReadonlyMap<string, Buffer | undefined>
}

/** Reads the keys of a data dir. Changes nothing. @throws SecretsRefused if a file cannot be read */
export function readKeys(dataDir: string, sources: KeySources): Keys {
  const places = keyPlaces(dataDir, sources)
  const masters = masterKeys(places, sources)
  const keyring = readKeyring(dataDir)
  return { places, masters, keyring, open: keyring === undefined ? new Map() : unwrapAll(keyring, masters) }
}

/** Returns why the newest data key cannot be used; undefined if it can. */
export function problemOf(dataDir: string, { places, masters, keyring, open }: Keys): string | undefined {
  const newest = keyring?.keys.at(-1)
  if (keyring === undefined || newest === undefined || open.get(newest.id) !== undefined) return undefined
  const here = [...new Set(masters.map(({ id, place }) => `${id} of ${wordsOf(place)}`))]
  const known = masters.some(({ id }) => id === newest.master)
  const found = here.length === 0 ? `${wordsOf(places[0])} holds none` : `there is only ${here.join(', ')}`
  return known
    ? `${join(dataDir, keyringName)} is damaged: its key ${newest.master} does not open it. Nothing was changed. Put the file back from a backup.`
    : `The secrets of ${dataDir} are sealed with the key ${newest.master}, and ${found}. Nothing was changed. Put the key back where it was, ${keyring.keptAt}, or say where it is by JARVIS_SECRETS_KEY_FILE or JARVIS_SECRETS_KEY. If it is lost: npm run jarvis -- secrets forget, then enter the secrets again.`
}

/** The error for sealed texts without a keyring. */
export const keyringMissing = (dataDir: string): string =>
  `${join(dataDir, keyringName)} is missing, and ${dataDir} holds sealed secrets. Nothing was changed. Put the file back from a backup; if it is lost: npm run jarvis -- secrets forget, then enter the secrets again.`

/** @returns undefined if nothing was sealed yet @throws SecretsRefused if the key is missing or is another one */
export function openSecrets(dataDir: string, sources: KeySources): SecretBox | undefined {
  const keys = readKeys(dataDir, sources)
  const problem = problemOf(dataDir, keys)
  if (problem !== undefined) throw new SecretsRefused(problem)
  return keys.keyring && createBox(keys.open)
}

/**
 * Opens the secrets. If nothing was sealed yet, creates the keys first. @param hasSealed returns true if the data dir contains sealed texts: with
 * new keys these could never be opened again @throws SecretsRefused
 */
export function makeSecrets(
  dataDir: string,
  sources: KeySources,
  { hasSealed, now }: { hasSealed(): boolean; now: number },
): SecretBox {
  const known = openSecrets(dataDir, sources)
  if (known !== undefined) return known
  if (hasSealed()) throw new SecretsRefused(keyringMissing(dataDir))
  const [place] = keyPlaces(dataDir, sources)
  if (place.kind === 'file' && masterKeys([place], sources).length === 0) makeKeyFile(place)
  const [master] = masterKeys([place], sources)
  if (master === undefined) throw new SecretsRefused(`${wordsOf(place)} holds no key.`)
  const keyring: Keyring = { version: 1, keptAt: wordsOf(place), keys: [newDataKey(master, now)] }
  makeWhole(join(dataDir, keyringName), keyringText(keyring))
  // Another process may have created the keys first. Use its keys then.
  const made = openSecrets(dataDir, sources)
  if (made === undefined) throw new SecretsRefused(`${join(dataDir, keyringName)} cannot be read.`)
  return made
}

/**
 * Returns the keys of a backup's keyring. `box`: undefined if its newest data key cannot be opened here. `master`: id of the master key that opens
 * it. `at`: the place of that key.
 */
export function backupKeys(text: string, dataDir: string, sources: KeySources) {
  const keyring = parseKeyring(text, `${keyringName} of the backup`)
  const { masters } = readKeys(dataDir, sources)
  const open = unwrapAll(keyring, masters)
  const newest = keyring.keys.at(-1)
  const master = newest?.master ?? ''
  const place = masters.find(({ id }) => id === master)?.place
  return {
    box: newest === undefined || open.get(newest.id) === undefined ? undefined : createBox(open),
    master,
    at: place === undefined ? keyring.keptAt : wordsOf(place),
  }
}

/** Returns the key files that other accounts can read, each as path and mode. @param mends true: removes that access if possible */
export function openToOthers(places: readonly KeyPlace[], mends: boolean): string[] {
  if (process.platform === 'win32') return []
  return places.flatMap((place) => {
    if (place.kind !== 'file') return []
    try {
      const { mode } = statSync(place.path)
      if ((mode & 0o077) === 0) return []
      if (mends) chmodSync(place.path, mode & 0o700)
      return [`${place.path} (${(mode & 0o777).toString(8)})`]
    } catch {
      // The file does not exist, or belongs to another account.
      return []
    }
  })
}
