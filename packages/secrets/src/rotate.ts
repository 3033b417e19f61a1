import { join } from 'node:path'
import { writeWhole } from 'node-kit/whole-file'
import { createBox, type SecretBox } from './box.ts'
import { SecretsRefused } from './cipher.ts'
import { keyringName, keyringText, newDataKey, parseKeyring, readKeyring, rewrapped, unwrapAll } from './keyring.ts'
import { type KeySources, keyFileText, type MasterKey, masterKeys, newMasterKey, wordsOf } from './master-keys.ts'
import { type Keys, problemOf, readKeys } from './secrets.ts'

/**
 * The result of a rotation. `master`: id of the master key that is now in use. `at`: its place. `isResumed`: the rotation used a key that was there
 * before. `unneeded`: places of keys that no longer open anything.
 */
export type Rotated = { master: string; at: string; isResumed: boolean; unneeded: string[] }

/**
 * Wraps every data key by a new master key, and makes a new data key for later seals. The keyring is replaced atomically, and the old master key
 * stays until the result is verified. So a crash loses nothing: the next call continues. A server may run meanwhile.
 * @param verify opens all sealed texts with the new keys; throws if one cannot be opened
 * @throws SecretsRefused
 */
export function rotate(
  dataDir: string,
  sources: KeySources,
  { verify, now }: { verify(box: SecretBox): void; now: number },
): Rotated {
  const keys = readKeys(dataDir, sources)
  const problem = problemOf(dataDir, keys)
  if (problem !== undefined) throw new SecretsRefused(problem)
  if (keys.keyring === undefined) throw new SecretsRefused('Nothing is sealed yet: the first start of the server does.')
  const { master, isResumed } = masterFor(keys, sources)
  const isWrapped = keys.keyring.keys.every(({ id, master: by }) => by === master.id || keys.open.get(id) === undefined)
  if (!isWrapped) {
    const next = { ...rewrapped(keys.keyring, keys.open, master), keptAt: wordsOf(master.place) }
    next.keys.push(newDataKey(master, now))
    writeWhole(join(dataDir, keyringName), keyringText(next))
  }
  const after = readKeyring(dataDir)
  const opened = after === undefined ? new Map<string, undefined>() : unwrapAll(after, [master])
  for (const [id, key] of keys.open)
    if (key !== undefined && opened.get(id)?.equals(key) !== true)
      throw new SecretsRefused(`The data key ${id} could not be wrapped again. The old key still opens it.`)
  verify(createBox(opened))
  const needed = new Set(after?.keys.map(({ master: by }) => by))
  return {
    master: master.id,
    at: wordsOf(master.place),
    isResumed,
    unneeded: cleanUp(keys, sources, { master, needed }),
  }
}

/** Returns the new master key: a key that is first in its place and not used yet, or a new key in JARVIS's own key file. */
function masterFor({ places, masters, keyring, open }: Keys, sources: KeySources) {
  const [place] = places
  const own = masters.filter((known) => known.place === place)
  const [first] = own
  const isUsed = keyring?.keys.every(({ id, master }) => master === first?.id || open.get(id) === undefined) === true
  if (first !== undefined && (!isUsed || (place.kind === 'file' && own.length > 1)))
    return { master: first, isResumed: true }
  if (place.kind !== 'file')
    throw new SecretsRefused(
      `${wordsOf(place)} holds the key in use. Put a new one before it (openssl rand -hex 32), with a space between, start again, and run this again.`,
    )
  const master = newMasterKey(place)
  writeWhole(place.path, keyFileText([master, ...own]))
  const [written] = masterKeys([place], sources)
  if (written?.id !== master.id) throw new SecretsRefused(`${place.path} does not hold what was written to it.`)
  return { master, isResumed: false }
}

/** Removes keys that no longer open anything from the key file in use. @returns the other places with such keys */
function cleanUp(
  { places, masters }: Keys,
  sources: KeySources,
  { master, needed }: { master: MasterKey; needed: ReadonlySet<string> },
) {
  const isNeeded = ({ id }: MasterKey) => id === master.id || needed.has(id)
  const [place, ...others] = places
  if (place.kind === 'file') writeWhole(place.path, keyFileText(masterKeys([place], sources).filter(isNeeded)))
  return [...(place.kind === 'file' ? [] : [place]), ...others]
    .filter((other) =>
      masters.some(
        (known) => known.place === other && (known.id !== master.id ? !isNeeded(known) : other !== master.place),
      ),
    )
    .map(wordsOf)
}

/** Adds the data keys of a backup to those of a data dir. @returns ids of master keys that are needed but not available */
export function addKeys(dataDir: string, sources: KeySources, text: string): string[] {
  const { masters, keyring } = readKeys(dataDir, sources)
  const added = parseKeyring(text, keyringName)
  const known = new Set(keyring?.keys.map(({ id }) => id))
  const older = added.keys.filter(({ id }) => !known.has(id))
  const next = keyring === undefined ? added : { ...keyring, keys: [...older, ...keyring.keys] }
  if (older.length > 0) writeWhole(join(dataDir, keyringName), keyringText(next))
  const open = unwrapAll(next, masters)
  return [...new Set(next.keys.flatMap(({ id, master }) => (open.get(id) === undefined ? [master] : [])))]
}
