import { z } from 'zod'
import { readAs } from './read-as.ts'
import type { Tier } from './tier.ts'

/** What names an attached server: letters and digits, parted by single `-` or `_`. */
const serverName = /^[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*$/
export const ServerName = z
  .string()
  .max(32)
  .regex(serverName, 'A name must be letters and digits, parted by single - or _, for example my-files')

/** The server that a tool of an attached server belongs to: `fs` of `fs__read_file`; undefined for JARVIS's own. */
export function attachedServerOf(toolName: string): string | undefined {
  const end = toolName.indexOf('__')
  const server = end === -1 ? '' : toolName.slice(0, end)
  return end + 2 < toolName.length && serverName.test(server) ? server : undefined
}

const texts = z.record(z.string().regex(/^[\w.-]{1,200}$/, 'must be a name'), z.string().max(10_000))
const shared = {
  enabled: z.boolean().default(true),
  /** Started by the first call, and ended when it has been idle for a while. */
  lazy: z.boolean().default(false),
}
const StdioServer = z.strictObject({
  type: z.literal('stdio').default('stdio'),
  command: z.string().min(1).max(1_000),
  args: z.array(z.string().max(10_000)).max(200).default([]),
  /** All that it gets besides `PATH`, `HOME` and `LANG`. */
  env: texts.default({}),
  cwd: z.string().max(1_000).optional(),
  ...shared,
})
const HttpServer = z.strictObject({
  type: z.enum(['http', 'sse'], 'must be http or sse').default('http'),
  url: z
    .string()
    .max(2_000)
    .refine(
      (text) => /^https?:\/\//.test(text) && URL.canParse(text),
      'must be a URL, for example http://nas:8080/mcp',
    ),
  headers: texts.default({}),
  ...shared,
})
/** One entry of `mcp.json` under `mcpServers`. */
export const AttachedServerConfig = z.union([StdioServer, HttpServer])
export type AttachedServerConfig = z.infer<typeof AttachedServerConfig>

/** Reads one entry; what is wrong is said of the kind it is meant to be. */
export function parseAttachedServer(
  value: unknown,
): { ok: true; config: AttachedServerConfig } | { ok: false; problem: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, problem: 'must be an object with command or url' }
  }
  const isCommand = 'command' in value
  if (isCommand === 'url' in value) return { ok: false, problem: 'must have either command or url' }
  const read = readAs<AttachedServerConfig>(isCommand ? StdioServer : HttpServer, value)
  return read.ok ? { ok: true, config: read.value } : read
}

/** What an operator can let a tool of an attached server be. */
export const AttachedTier = z.enum(['green', 'yellow', 'red'])
export type AttachedTier = z.infer<typeof AttachedTier>
/** `hash`: of the definition the operator saw; a tool that has changed since is not set. */
export const AttachedTierBody = z.strictObject({ tier: AttachedTier, hash: z.string().max(100) })

export type AttachedToolInfo = {
  /** `fs__read_file`, as in the catalog. */
  name: string
  /** The server's own name of it, its title and description: its words, not JARVIS's. */
  toolName: string
  title?: string
  description: string
  inputSchema: Record<string, unknown>
  /** Of name, description, schema and of what the server is started or reached by. */
  hash: string
  /** Red until an operator has said otherwise of this very definition. */
  tier: Tier
  /** What the server's annotations would have it be: nothing but a hint. */
  suggestedTier: Tier
  /** Set by whom, Unix ms; absent where nobody has, or where the definition changed since. */
  setBy?: string
  setAt?: number
  /** When its definition was changed and took its tier back, Unix ms; until an operator sets one again. */
  changedAt?: number
}

/** `idle`: not started, or ended until it is needed. `failed`: tried again at `retryAt`, or by the next call. */
export type AttachedState = 'disabled' | 'idle' | 'connecting' | 'connected' | 'failed'
export type AttachedServer = {
  name: string
  type: 'stdio' | 'http' | 'sse'
  /** As in `mcp.json`; each value of `env` and `headers`, and what else is secret, is `[redacted]`. */
  config: AttachedServerConfig
  state: AttachedState
  /** What the server calls itself. */
  server?: { name: string; version: string; protocolVersion?: string }
  lastError?: { at: number; message: string }
  retryAt?: number
  tools: AttachedToolInfo[]
  /** Tools it offers that cannot be used, and why. */
  refused: { toolName: string; problem: string }[]
}
/** `problems`: what in `mcp.json` cannot be used. */
export type AttachedServersReply = { items: AttachedServer[]; problems: string[] }
/** `source`: what the process wrote, what the server sent as a log message, or what JARVIS saw of it. */
export type AttachedLogLine = { id: number; at: number; source: 'stderr' | 'server' | 'jarvis'; text: string }
