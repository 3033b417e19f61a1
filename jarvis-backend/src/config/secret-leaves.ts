import { parseAttachedServer } from '../protocol/index.ts'
import { secretsOf } from '../redaction/attached-secrets.ts'
import { isSealed } from '../secrets/index.ts'

/** One text that is a secret, plain or sealed, and where it lies. `put` sets it in the value it was found in; undefined removes it. */
export type Leaf = { place: string; text: string; put(text: string | undefined): void }
type Json = Record<string, unknown>

/** Variables of `settings.env` that are secrets. */
const isSecretVariable = (name: string, value: string) =>
  /(?:SECRET|KEY|PASSWORD|TOKEN|TOPIC|HOOK_URL)$/.test(name) || /:\/\/[^/\s:]*:[^/\s@]*@/.test(value) || isSealed(value)

/** The secrets of saved settings. */
export const settingLeaves = (settings: Record<string, string | undefined>): Leaf[] =>
  Object.entries(settings).flatMap(([name, text = '']) =>
    text === '' || !isSecretVariable(name, text) ? [] : [leafOf(settings, name, `settings.env/${name}`)],
  )

/** The keys and headers of `models.json`. */
export function modelLeaves(file: unknown): Leaf[] {
  const providers = isRecord(file) && Array.isArray(file.providers) ? file.providers.filter(isRecord) : []
  return providers.flatMap((provider) => {
    const place = `models.json/${String(provider.name)}`
    return [...leavesIn(provider, place, ['key']), ...leavesIn(provider.headers, `${place}/headers`)]
  })
}

/** The secrets of one entry of `mcp.json`; `secretsOf` says what is secret. */
export function serverLeaves(name: string, entry: unknown): Leaf[] {
  if (!isRecord(entry)) return []
  const place = `mcp.json/${name}`
  const { url, args } = entry
  // A sealed address is none, so another one stands for it.
  const parsed = parseAttachedServer(
    typeof url === 'string' && isSealed(url) ? { ...entry, url: 'https://sealed.invalid' } : entry,
  )
  const secrets = parsed.ok ? secretsOf(parsed.config).filter((secret) => secret !== '') : []
  const holds = (text: string) =>
    isSealed(text) || secrets.some((secret) => text.includes(secret) || text.includes(encodeURIComponent(secret)))
  return [
    ...leavesIn(entry.env, `${place}/env`),
    ...leavesIn(entry.headers, `${place}/headers`),
    ...leavesIn(entry, place, ['url']),
    ...leavesIn(args, `${place}/args`),
  ].filter(({ text }) => holds(text))
}

/** The secrets of `mcp.json`. */
export const attachedLeaves = (file: unknown): Leaf[] =>
  isRecord(file) && isRecord(file.mcpServers)
    ? Object.entries(file.mcpServers).flatMap(([name, entry]) => serverLeaves(name, entry))
    : []

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

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
