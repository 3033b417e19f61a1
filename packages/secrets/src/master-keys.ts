import { createHash, randomBytes } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { makeWhole } from 'node-kit/whole-file'
import { SecretsRefused } from './cipher.ts'

/** The places of master keys in the settings. */
export type KeySources = {
  /** `JARVIS_SECRETS_KEY`: one key, or several separated by spaces; the first one seals. */
  given?: string
  /** The folder of systemd's credentials. */
  credentials?: string
  /** `JARVIS_SECRETS_KEY_FILE`. */
  file?: string
}

/** A place of master keys. `path`: a file that may contain some. */
export type KeyPlace =
  | { kind: 'environment' }
  | { kind: 'credential'; path: string }
  | { kind: 'file'; path: string; isInDataDir: boolean }
/** A master key. `id`: identifies the key and reveals nothing about it. */
export type MasterKey = { id: string; key: Buffer; text: string; place: KeyPlace }

export const credentialName = 'jarvis-secrets-key'
const header = '# Opens the secrets of JARVIS. Keep a copy elsewhere, apart from backups of the data dir.'

export const wordsOf = (place: KeyPlace): string => (place.kind === 'environment' ? 'JARVIS_SECRETS_KEY' : place.path)

/** Returns the places that are configured or contain keys, in order of priority; the first one seals. There is at least one. */
export function keyPlaces(dataDir: string, sources: KeySources): [KeyPlace, ...KeyPlace[]] {
  const beside: KeyPlace = { kind: 'file', path: `${resolve(dataDir)}.key`, isInDataDir: false }
  const inside: KeyPlace = { kind: 'file', path: join(resolve(dataDir), 'secrets.key'), isInDataDir: true }
  const credential = sources.credentials === undefined ? undefined : join(sources.credentials, credentialName)
  const places: KeyPlace[] = [
    ...(sources.given === undefined ? [] : [{ kind: 'environment' } as const]),
    ...(credential !== undefined && existsSync(credential) ? [{ kind: 'credential', path: credential } as const] : []),
    ...(sources.file === undefined ? [] : [fileAt(sources.file, dataDir)]),
    ...[beside, inside].filter((place) => existsSync(place.path)),
  ]
  const [first, ...rest] = places
  return first === undefined ? [mayLieBeside(dataDir) ? beside : inside] : [first, ...rest]
}

const fileAt = (path: string, dataDir: string): KeyPlace => ({
  kind: 'file',
  path: resolve(path),
  isInDataDir: resolve(path).startsWith(`${resolve(dataDir)}/`),
})

/**
 * True if a key file beside the data dir is safe and lasts as long as the data dir: the parent folder belongs to this account, is on the same file
 * system, and others cannot write to it. (In a container, a parent folder outside the volume is lost with the container.)
 */
function mayLieBeside(dataDir: string): boolean {
  const parent = dirname(resolve(dataDir))
  try {
    accessSync(parent, constants.W_OK)
    const { dev, mode, uid } = statSync(parent)
    const isOurs = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
    return isOurs && dev === statSync(dataDir).dev
  } catch {
    return false
  }
}

/** Reads all available master keys. @throws SecretsRefused for a key that cannot be read or is not valid */
export function masterKeys(places: readonly KeyPlace[], { given = '' }: KeySources): MasterKey[] {
  return places.flatMap((place) =>
    (place.kind === 'environment' ? given : textOf(place.path))
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      .flatMap((line) => line.split(/[\s,]+/))
      .filter((text) => text !== '')
      .map((text) => toKey(text, place)),
  )
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return ''
    throw new SecretsRefused(`${path}, the key of the secrets, cannot be read (${code}).`)
  }
}

function toKey(text: string, place: KeyPlace): MasterKey {
  if (!/^[0-9a-f]{64}$/i.test(text))
    throw new SecretsRefused(
      `${wordsOf(place)} must hold a key of 64 hexadecimal digits; make one with: openssl rand -hex 32`,
    )
  const key = Buffer.from(text, 'hex')
  const id = createHash('sha256').update('jarvis master key v1\0').update(key).digest('hex').slice(0, 8)
  return { id, key, text, place }
}

/** Returns the text of a file with these keys. */
export const keyFileText = (keys: readonly Pick<MasterKey, 'text'>[]): string =>
  `${[header, ...keys.map(({ text }) => text)].join('\n')}\n`

export const newMasterKey = (place: KeyPlace): MasterKey => toKey(randomBytes(32).toString('hex'), place)

/** Creates a file with a new key, unless the file exists. @throws SecretsRefused if it cannot be written */
export function makeKeyFile(place: KeyPlace & { kind: 'file' }): void {
  try {
    makeWhole(place.path, keyFileText([newMasterKey(place)]))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new SecretsRefused(
      `${place.path}, the key of the secrets, cannot be made (${code ?? message}). Name a file that this account can write by JARVIS_SECRETS_KEY_FILE.`,
    )
  }
}
