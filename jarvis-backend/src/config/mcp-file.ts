import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from '../lib/whole-file.ts'
import { type AttachedServerConfig, JarvisError, parseAttachedServer, ServerName } from '../protocol/index.ts'
import { ConfigError } from './config-error.ts'
import { type Opener, openerOf, openLeaves, type Sealing, sealLeaves } from './sealing.ts'
import { serverLeaves } from './secret-leaves.ts'

export const mcpPath = (dataDir: string): string => join(dataDir, 'mcp.json')

/** The servers of `mcp.json` by name, and its problems. `isBroken`: nothing of the file could be read. */
export type McpFile = { servers: Map<string, AttachedServerConfig>; problems: string[]; isBroken: boolean }

const mostServers = 50

/** Reads `mcp.json`; a server with a secret that cannot be opened is a problem. Never throws; a missing file has no servers. */
export function readMcpFile(of: Sealing): McpFile {
  const servers = new Map<string, AttachedServerConfig>()
  const raw = rawServers(mcpPath(of.dataDir))
  const open = openerOf(of)
  if (typeof raw === 'string') return { servers, problems: [raw], isBroken: true }
  const problems: string[] = []
  for (const [given, value] of Object.entries(raw.mcpServers)) {
    const name = safeName(given)
    const parsed = parsedEntry(given, value, open)
    if (!ServerName.safeParse(name).success) problems.push(`mcp.json: ${JSON.stringify(given)} cannot name a server.`)
    else if (servers.has(name)) problems.push(`mcp.json: two servers would be called ${name}.`)
    else if (servers.size === mostServers) problems.push(`mcp.json: only the first ${mostServers} servers are used.`)
    else if (parsed.ok) servers.set(name, parsed.config)
    else problems.push(`mcp.json: ${name} is not used: ${parsed.problem}.`)
  }
  return { servers, problems, isBroken: false }
}

/**
 * Writes or removes one server's entry; the rest of the file stays as it is.
 * Secrets are sealed. @throws JarvisError `conflict` where the file cannot be read, because writing would lose its content, and where the key
 * is missing
 */
export function writeMcpServer(of: Sealing, name: string, config: AttachedServerConfig | undefined): void {
  const path = mcpPath(of.dataDir)
  const raw = rawServers(path)
  if (typeof raw === 'string') throw new JarvisError('conflict', `${raw} Mend it by hand first; nothing was changed.`)
  const { mcpServers } = raw
  const key = Object.keys(mcpServers).find((given) => safeName(given) === name) ?? name
  if (config === undefined) delete mcpServers[key]
  else {
    const entry = structuredClone(config)
    sealLeaves(serverLeaves(key, entry), of)
    mcpServers[key] = entry
  }
  writeWhole(path, `${JSON.stringify(raw, null, 2)}\n`)
}

/** Opens an entry's secrets and reads it. */
function parsedEntry(name: string, entry: unknown, open: Opener): ReturnType<typeof parseAttachedServer> {
  try {
    openLeaves(serverLeaves(name, entry), open)
  } catch (error) {
    if (error instanceof ConfigError) return { ok: false, problem: error.message.replace(/\.$/, '') }
    throw error
  }
  return parseAttachedServer(entry)
}

/** Turns `My Files!` into `My-Files`. */
const safeName = (given: string) =>
  given
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/([_-])[_-]+/g, '$1')
    .replace(/^[_-]|[_-]$/g, '')
    .slice(0, 32)

/** @returns the parsed file, or a message that says what is wrong */
function rawServers(path: string): { mcpServers: Record<string, unknown> } | string {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? { mcpServers: {} } : `mcp.json cannot be read: ${message}.`
  }
  try {
    const raw: unknown = JSON.parse(text)
    if (!isRecord(raw)) return 'mcp.json must hold an object with mcpServers.'
    const mcpServers = raw.mcpServers ?? {}
    return isRecord(mcpServers) ? { ...raw, mcpServers } : 'mcp.json: mcpServers must be an object, a server each.'
  } catch (error) {
    // The error's message would quote the file, including secrets.
    const [where] = /position \d+/.exec(String(error)) ?? []
    return `mcp.json is not JSON${where === undefined ? '' : `, from ${where} on`}.`
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
