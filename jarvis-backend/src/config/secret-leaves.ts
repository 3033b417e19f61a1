import { secretsOf } from 'redaction/attached-secrets'
import { isSealed } from 'secrets'
import { entriesIn, inputsIn, isRecord, type Json, type Path, plainEntry, secretPlaces, valueAt } from './mcp-entry.ts'
import { isOnlyNames } from './placeholder.ts'
import { settings } from './settings.ts'

/** One text that is a secret, plain or sealed, and its place. `put` replaces the text in the value in which it was found; undefined removes it. */
export type Leaf = { place: string; text: string; put(text: string | undefined): void }

/** Tells if a variable of `settings.env` is a secret. Secrets of channels and of inputs of attached servers are recognised by their names. */
const isSecretVariable = (name: string, value: string) =>
  settings.get(name)?.secret !== undefined ||
  /(?:SECRET|KEY|PASS(?:WD|WORD)?|_PAT|TOKEN|TOPIC|HOOK_URL)$|^MCP_INPUT_/.test(name) ||
  // A name alone before the @ of a web address may be a token.
  /:\/\/[^/\s:]*:[^/\s@]*@|^https?:\/\/[^/\s@]+@/i.test(value) ||
  isSealed(value)

/** The secrets of saved settings. */
export const settingLeaves = (settings: Record<string, string | undefined>): Leaf[] =>
  Object.entries(settings).flatMap(([name, text = '']) =>
    text === '' || !isSecretVariable(name, text) ? [] : [leafOf(settings, name, `settings.env/${name}`)],
  )

/** The keys and headers of `models.json` that are secrets. Names of variables stay as they were written. */
export function modelLeaves(file: unknown): Leaf[] {
  const providers = isRecord(file) && Array.isArray(file.providers) ? file.providers.filter(isRecord) : []
  return providers.flatMap((provider) => {
    const place = `models.json/${String(provider.name)}`
    const texts = [...leavesIn(provider, place, ['key']), ...leavesIn(provider.headers, `${place}/headers`)]
    return texts.filter(({ text }) => !isOnlyNames(text))
  })
}

/** A secret of `mcp.json`, and its path in the file. */
export type AttachedLeaf = Leaf & { at: Path }

/** The secrets of one entry of `mcp.json`, in any program's form; `secretsOf` decides which texts are secret. @param at the entry's path */
export function serverLeaves(name: string, entry: unknown, at: Path): AttachedLeaf[] {
  if (!isRecord(entry)) return []
  const secrets = secretsOf(secretPlaces(plainEntry(entry)))
  const holds = (text: string) =>
    isSealed(text) || secrets.some((secret) => text.includes(secret) || text.includes(encodeURIComponent(secret)))
  const first = ['env', 'headers', 'url']
  const rank = (key: unknown) => (first.indexOf(String(key)) + first.length + 1) % (first.length + 1)
  return textsIn(entry, `mcp.json/${name}`, at)
    .filter(({ text }) => holds(text))
    .toSorted((a, b) => rank(a.at[at.length]) - rank(b.at[at.length]))
}

/** The secrets of `mcp.json`. */
export function attachedLeaves(file: unknown): AttachedLeaf[] {
  const entries = isRecord(file) ? entriesIn(file) : []
  return [
    ...(typeof entries === 'string' ? [] : entries.flatMap(({ name, entry, at }) => serverLeaves(name, entry, at))),
    ...[...inputsIn(file)].flatMap(([id, { at, text, isSecret }]) => {
      const place = `mcp.json/inputs/${id}/default`
      return text !== '' && (isSecret || isSealed(text))
        ? [{ ...leafOf(valueAt(file, at.slice(0, -1)) as Json, 'default', place), at }]
        : []
    }),
  ]
}

/** Every text within a value. Its place contains the keys, so that a sealed text opens at no other place. */
function textsIn(of: unknown, place: string, at: Path): AttachedLeaf[] {
  if (typeof of !== 'object' || of === null) return []
  return Object.entries(of).flatMap(([key, value]: [string, unknown]) => {
    const path = [...at, Array.isArray(of) ? Number(key) : key]
    if (typeof value !== 'string') return textsIn(value, `${place}/${key}`, path)
    return value === '' ? [] : [{ ...leafOf(of as Json, key, `${place}/${key}`), at: path }]
  })
}

function leavesIn(of: unknown, place: string, names?: readonly string[]): Leaf[] {
  if (typeof of !== 'object' || of === null) return []
  return (names ?? Object.keys(of)).flatMap((name) =>
    typeof (of as Json)[name] === 'string' && (of as Json)[name] !== ''
      ? [leafOf(of as Json, name, `${place}/${name}`)]
      : [],
  )
}

const leafOf = (of: Json, name: string, place: string): Leaf => ({
  place,
  text: String(of[name]),
  put(text) {
    if (text !== undefined) of[name] = text
    else if (Array.isArray(of)) of[Number(name)] = ''
    else delete of[name]
  },
})
