import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { writeWhole } from 'node-kit/whole-file'
import { isSealed, type SecretBox, sealedRowsIn } from 'secrets'
import { withChanges } from './env-file.ts'
import { JsonText } from './json-text.ts'
import { attachedLeaves, type Leaf, modelLeaves, settingLeaves } from './secret-leaves.ts'

/** A file's secrets. `toText` returns the file with the present values of its secrets. */
export type SecretFile = { name: string; leaves: readonly Leaf[]; toText(): string }

/** The files of a data dir that contain secrets, with a reader for each. */
const readers: Readonly<Record<string, (text: string, name: string) => Omit<SecretFile, 'name'>>> = {
  'settings.env': settings,
  'models.json': models,
  'mcp.json': attached,
  'jwt-secret': whole,
  'signers-key': whole,
  'vapid-keys': whole,
}
export const secretFileNames: readonly string[] = Object.keys(readers)

function settings(text: string): Omit<SecretFile, 'name'> {
  const changes: Record<string, string | undefined> = {}
  const leaves = settingLeaves({ ...parseEnv(text) }).map((leaf) => ({
    ...leaf,
    put(next: string | undefined) {
      changes[leaf.place.slice('settings.env/'.length)] = next
    },
  }))
  return { leaves, toText: () => withChanges(text, changes) }
}

function models(text: string): Omit<SecretFile, 'name'> {
  const file: unknown = JSON.parse(text)
  return { leaves: modelLeaves(file), toText: () => `${JSON.stringify(file, undefined, 2)}\n` }
}

/** Replaces only the secrets in the text, because people write this file. */
function attached(text: string): Omit<SecretFile, 'name'> {
  const file = new JsonText(text)
  const leaves = attachedLeaves(file.read().value).map((leaf) => ({
    ...leaf,
    put(next: string | undefined) {
      const isItem = typeof leaf.at.at(-1) === 'number'
      file.set(leaf.at, next ?? (isItem ? '' : undefined))
    },
  }))
  return { leaves, toText: () => file.toString() }
}

function whole(text: string, name: string): Omit<SecretFile, 'name'> {
  let now = text.trim()
  const put = (next = '') => {
    now = next
  }
  return { leaves: now === '' ? [] : [{ place: name, text: now, put }], toText: () => (now === '' ? '' : `${now}\n`) }
}

/** The secrets in a file's text. @returns undefined for a file without secrets, or whose text cannot be read */
export function secretsIn(name: string, text: string): SecretFile | undefined {
  try {
    const read = readers[name]?.(text, name)
    return read && { name, ...read }
  } catch {
    return undefined
  }
}

/** The secrets of the data dir's files, plain and sealed. Files that cannot be read are left out; their own readers report the mistake. */
export function secretFiles(dataDir: string): SecretFile[] {
  return secretFileNames.flatMap((name) => {
    const path = join(dataDir, name)
    try {
      return existsSync(path) ? (secretsIn(name, readFileSync(path, 'utf8')) ?? []) : []
    } catch {
      return []
    }
  })
}

/** Tests if files or rows of a data dir are sealed. */
export const hasSealed = (dataDir: string): boolean =>
  [...secretFiles(dataDir).flatMap(({ leaves }) => leaves), ...sealedRowsIn(dataDir)].some(({ text }) => isSealed(text))

/**
 * Seals the plain secrets in a data dir's files, and seals again those that were sealed with an older data key. Each file is replaced at once, so a
 * crash leaves it unchanged or sealed. Secrets that cannot be opened, and files that cannot be replaced, stay as they are. @returns the places that
 * held plain text
 */
export function sealFiles(dataDir: string, box: SecretBox, names = secretFileNames): string[] {
  return secretFiles(dataDir)
    .filter(({ name }) => names.includes(name))
    .flatMap((file) => {
      const plain = file.leaves.filter(({ text }) => !isSealed(text))
      const old = file.leaves.filter(({ text }) => isSealed(text) && !box.isCurrent(text))
      for (const { place, text, put } of plain) put(box.seal(place, text))
      const again = old.filter((leaf) => sealedAgain(leaf, box))
      if (plain.length + again.length === 0 || !isReplaced(join(dataDir, file.name), file)) return []
      return plain.map(({ place }) => place)
    })
}

/** @returns false if the file cannot be replaced: it is a mount of its own, or belongs to another account */
function isReplaced(path: string, file: SecretFile): boolean {
  try {
    writeWhole(realpathSync(path), file.toText())
    return true
  } catch {
    return false
  }
}

function sealedAgain({ place, text, put }: Leaf, box: SecretBox): boolean {
  try {
    put(box.seal(place, box.open(place, text)))
    return true
  } catch {
    return false
  }
}
