import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from 'node-kit/whole-file'
import { type AttachedServerConfig, JarvisError, parseAttachedServer, ServerName } from 'protocol'
import { isSecretName, secretsOf } from 'redaction/attached-secrets'
import { ConfigError } from './config-error.ts'
import { createFill, type Fill, filled } from './fillers.ts'
import { JsonText } from './json-text.ts'
import {
  entriesIn,
  homesIn,
  type Inputs,
  inputsIn,
  isRecord,
  type Json,
  type NamedEntry,
  plainEntry,
  valueAt,
} from './mcp-entry.ts'
import { openerOf, openLeaves, type Sealing, sealLeaves } from './sealing.ts'
import { attachedLeaves } from './secret-leaves.ts'

export const mcpPath = (dataDir: string): string => join(dataDir, 'mcp.json')

/** A data dir, and the variables that fill `${NAME}`. */
export type McpSource = Sealing & { variables?: Readonly<Record<string, string>> }

/**
 * One server of `mcp.json`. `config`: the configuration in use, with every `${NAME}` filled. `written`: the configuration in the file, under JARVIS's
 * own field names. `secrets`: texts that no log, transcript or client may show.
 */
export type McpEntry = { config: AttachedServerConfig; written: AttachedServerConfig; secrets: readonly string[] }

/**
 * The servers of `mcp.json` by name, and the file's problems. `remarks`: ignored fields of used entries. `isBroken`: nothing in the file could be
 * read.
 */
export type McpFile = { servers: Map<string, McpEntry>; problems: string[]; isBroken: boolean }

const mostServers = 50

/** Reads `mcp.json`. A server with a secret that cannot be opened is a problem. Never throws; a missing file has no servers. */
export function readMcpFile(of: McpSource): McpFile {
  const servers = new Map<string, McpEntry>()
  const read = opened(of)
  if (typeof read === 'string') return { servers, problems: [read], isBroken: true }
  const { entries, closed, inputs, problems } = read
  const fill = createFill(of)
  for (const named of entries) {
    const name = safeName(named.name)
    if (!ServerName.safeParse(name).success) {
      problems.push(`mcp.json: ${JSON.stringify(named.name)} cannot name a server.`)
      continue
    }
    const why = closed.get(named)
    const parsed = why === undefined ? parsedEntry(named.entry, fill, inputs) : { problem: why }
    if (servers.has(name)) problems.push(`mcp.json: two servers would be called ${name}.`)
    else if (servers.size === mostServers) problems.push(`mcp.json: only the first ${mostServers} servers are used.`)
    else if ('problem' in parsed) problems.push(`mcp.json: ${name} is not used: ${parsed.problem}.`)
    else {
      servers.set(name, parsed.entry)
      problems.push(...parsed.remarks.map((remark) => `mcp.json: ${name}: ${remark}.`))
    }
  }
  return { servers, problems, isBroken: false }
}

/**
 * Writes or removes one server's entry. The rest of the file stays, with its comments, and so do the entry's own field names. Secrets are sealed.
 * @param config with each `${NAME}` as it is to be written @throws JarvisError `invalid_request` if a `${NAME}` has no value; `conflict` if the file
 * cannot be read, because writing would lose its content, and if the key is missing
 */
export function writeMcpServer(of: McpSource, name: string, config: AttachedServerConfig | undefined): void {
  const path = mcpPath(of.dataDir)
  const read = opened(of)
  if (typeof read === 'string') throw new JarvisError('conflict', `${read} Mend it by hand first; nothing was changed.`)
  const { text, file, entries, inputs } = read
  const there = entries.find((entry) => safeName(entry.name) === name)
  if (config === undefined) {
    if (there !== undefined) text.set(there.at, undefined)
  } else {
    const { missing } = filledEntry(config, createFill(of), inputs)
    if (missing.length > 0) throw new JarvisError('invalid_request', `${missing.join('; ')}.`)
    const [home = ['mcpServers']] = homesIn(file)
    if (there !== undefined) change(text, there, config)
    else if (Array.isArray(valueAt(file, home))) text.set([...home, -1], { name, ...config })
    else text.set([...home, name], config)
  }
  seal(text, of)
  writeWhole(path, ending(text.toString()))
}

const ending = (text: string) => (text.endsWith('\n') ? text : `${text}\n`)

const onSwitches = ['enabled', 'isActive']

/** Writes the fields that have changed, under the names that the entry uses. */
function change(text: JsonText, { at, entry }: NamedEntry, config: AttachedServerConfig): void {
  const { entry: was, places } = plainEntry(isRecord(entry) ? entry : {})
  const now: Json = config
  const usual: Json = { args: [], env: {}, headers: {}, enabled: true, lazy: false, type: config.type }
  if ('command' in was !== 'command' in now || 'url' in was !== 'url' in now || places.command?.length === 2) {
    text.set(at, config)
    return
  }
  for (const field of new Set([...Object.keys(places), ...Object.keys(now)])) {
    const [before, next] = [was[field] ?? usual[field], now[field]]
    if (JSON.stringify(before) === JSON.stringify(next)) continue
    const place = places[field as keyof typeof places] ?? [field]
    text.set([...at, ...place], place[0] === 'disabled' ? next === false : next)
    // An entry may have several switches for the same thing; all get the same value.
    if (place[0] === 'disabled')
      for (const key of onSwitches) if (isRecord(entry) && Object.hasOwn(entry, key)) text.set([...at, key], next)
  }
}

/** Seals the secrets that a change has put into the text, before the text reaches the disk. */
function seal(text: JsonText, of: Sealing): void {
  const leaves = attachedLeaves(text.read().value)
  sealLeaves(
    leaves.map((leaf) => ({ ...leaf, put: (next) => text.set(leaf.at, next) })),
    of,
  )
}

type Opened = {
  text: JsonText
  file: Json
  entries: NamedEntry[]
  /** Entries with secrets that cannot be opened, with the reason. */
  closed: Map<NamedEntry, string>
  inputs: Inputs
  problems: string[]
}

/** The file with its secrets opened. @returns a message if the whole file cannot be used */
function opened(of: Sealing): Opened | string {
  const read = fileAt(mcpPath(of.dataDir))
  if (typeof read === 'string') return read
  const { text, file, twice } = read
  const entries = entriesIn(file)
  if (typeof entries === 'string') return entries
  const problems = twice.map(
    (key) => `mcp.json: ${JSON.stringify(key)} stands twice in one object. The last one counts; remove the other.`,
  )
  if (entries.length === 0 && homesIn(file).length === 0 && Object.keys(file).some((key) => !/^[$/_]/.test(key)))
    problems.push('mcp.json holds no servers. Put each under its name into mcpServers.')
  const open = openerOf(of)
  const closed = new Map<NamedEntry, string>()
  for (const leaf of attachedLeaves(file)) {
    try {
      openLeaves([leaf], open)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      const entry = entries.find(({ at }) => at.every((key, index) => leaf.at[index] === key))
      const why = error.message.replace(/\.$/, '')
      if (entry === undefined) problems.push(`mcp.json: ${why}.`)
      else if (!closed.has(entry)) closed.set(entry, why)
    }
  }
  return { text, file, entries, closed, inputs: inputsIn(file), problems }
}

/** Reads an entry in any program's form and fills its `${…}`. */
function parsedEntry(
  entry: unknown,
  fill: Fill,
  inputs: Opened['inputs'],
): { entry: McpEntry; remarks: string[] } | { problem: string } {
  if (!isRecord(entry)) return { problem: 'must be an object with command or url' }
  const { entry: written, remarks } = plainEntry(entry)
  const template = parseAttachedServer(written)
  if (!template.ok) return { problem: template.problem }
  const { config, missing, values } = filledEntry(template.config, fill, inputs)
  if (missing.length > 0) return { problem: missing.join('; ') }
  const parsed = parseAttachedServer(config)
  if (!parsed.ok) return { problem: parsed.problem }
  if ('url' in parsed.config && !/^https?:\/\//.test(parsed.config.url))
    return { problem: 'url: must be a URL once it is filled' }
  const secrets = [
    ...secretsOf(placesOf(parsed.config)),
    ...values.flatMap(({ name, value }) => (isSecretName(name) || name.startsWith('MCP_INPUT_') ? [value] : [])),
  ]
  return { entry: { config: parsed.config, written: template.config, secrets: [...new Set(secrets)] }, remarks }
}

const placesOf = (config: AttachedServerConfig) =>
  config.type === 'stdio' ? config : { ...config, clientSecret: config.oauth?.clientSecret }

function filledEntry(config: AttachedServerConfig, fill: Fill, inputs: Opened['inputs']) {
  const missing: string[] = []
  const values: { name: string; value: string }[] = []
  const all = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const done = filled(value, fill, inputs)
      missing.push(...done.missing)
      values.push(...done.values)
      return done.text
    }
    if (Array.isArray(value)) return value.map(all)
    return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, all(item)])) : value
  }
  return { config: all(config), missing: [...new Set(missing)], values }
}

/** Makes a safe name: `My Files!` becomes `My-Files`. */
const safeName = (given: string) =>
  given
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/([_-])[_-]+/g, '$1')
    .replace(/^[_-]|[_-]$/g, '')
    .slice(0, 32)

/** @returns the parsed file, or a message that describes the mistake */
function fileAt(path: string): { text: JsonText; file: Json; twice: string[] } | string {
  let text: JsonText
  try {
    text = new JsonText(readFileSync(path, 'utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') return `mcp.json cannot be read: ${message}.`
    text = new JsonText('')
  }
  try {
    const { value, twice } = text.read()
    return isRecord(value) ? { text, file: value, twice } : 'mcp.json must hold an object with mcpServers.'
  } catch (error) {
    if (error instanceof SyntaxError) return `mcp.json is not JSON, from ${error.message} on.`
    throw error
  }
}
