import { z } from 'zod'
import { readAs } from './read-as.ts'
import { Tier } from './tier.ts'

/** Pattern of an attached server's name: letters and digits, separated by single `-` or `_`. */
const serverName = /^[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*$/
export const ServerName = z
  .string()
  .max(32)
  .regex(serverName, 'A name must be letters and digits, parted by single - or _, for example my-files')

/** The attached server that a tool belongs to: `fs` for `fs__read_file`; undefined for JARVIS's own tools. */
export function attachedServerOf(toolName: string): string | undefined {
  const end = toolName.indexOf('__')
  const server = end === -1 ? '' : toolName.slice(0, end)
  return end + 2 < toolName.length && serverName.test(server) ? server : undefined
}

const texts = z.record(z.string().regex(/^[\w.-]{1,200}$/, 'must be a name'), z.string().max(10_000))
const shared = {
  enabled: z.boolean().default(true),
  /** True: the server is started by the first call, and ended after some time without calls. */
  lazy: z.boolean().default(false),
}
const StdioServer = z.strictObject({
  type: z.literal('stdio').default('stdio'),
  command: z.string().min(1).max(1_000),
  args: z.array(z.string().max(10_000)).max(200).default([]),
  /** Environment of the process, besides `PATH`, `HOME` and `LANG`. */
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
      (text) => /\$\{[^{}]+\}/.test(text) || (/^https?:\/\//.test(text) && URL.canParse(text)),
      'must be a URL, for example http://nas:8080/mcp',
    ),
  headers: texts.default({}),
  /** An OAuth client that the owner registered by hand. `scopes`: requested at a sign-in. */
  oauth: z
    .strictObject({
      clientId: z.string().min(1).max(1_000).optional(),
      clientSecret: z.string().min(1).max(1_000).optional(),
      /** The authorization server that the client is registered at; absent: the first one at which the client is used. */
      issuer: z.url().max(2_000).optional(),
      scopes: z
        .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, 'must be a scope'))
        .max(50)
        .optional(),
    })
    .optional(),
  ...shared,
})
/** One entry of `mcp.json`, converted to JARVIS’s own form. Each `${NAME}` is replaced by its value before use. */
export const AttachedServerConfig = z.union([StdioServer, HttpServer])
export type AttachedServerConfig = z.infer<typeof AttachedServerConfig>

/** Parses one entry. Problems refer to the kind that the entry uses: a command or a URL. */
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

/** The tiers that an operator can give to an attached tool. */
export const AttachedTier = z.enum(['green', 'yellow', 'red'])
export type AttachedTier = z.infer<typeof AttachedTier>
/** `hash`: the hash of the tool's definition that the operator saw. If the tool has changed since, the tier is not set. */
export const AttachedTierBody = z.strictObject({ tier: AttachedTier, hash: z.string().max(100) })

/** `program`: the hash of the server's program that the owner saw. If the program has changed since, it is not started. */
export const AttachedAllowBody = z.strictObject({ program: z.string().max(100) })

export const AttachedToolInfo = z.object({
  /** `fs__read_file`, as in the catalog. */
  name: z.string(),
  /** The tool's own name, title and description: the server's words, not JARVIS's. */
  toolName: z.string(),
  title: z.string().optional(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  /** Hash of the tool's name, description and schema, and of the command or address of its server. */
  hash: z.string(),
  /** Red until an operator sets a tier for this definition. */
  tier: Tier,
  /** The tier that the server's own annotations suggest; only a hint. */
  suggestedTier: Tier,
  /** The person who set the tier, and when, Unix ms. Absent if nobody set one for this definition. */
  setBy: z.string().optional(),
  setAt: z.number().optional(),
  /** When a changed definition reset the tier, Unix ms. Absent once an operator sets a tier again. */
  changedAt: z.number().optional(),
})
export type AttachedToolInfo = z.infer<typeof AttachedToolInfo>

/**
 * `waiting`: somebody other than an owner put the program into `mcp.json`, so it is not started until an owner allows it. `idle`: not started, or
 * ended until the next call. `failed`: retried at `retryAt`, or by the next call.
 */
export const AttachedState = z.enum(['disabled', 'waiting', 'idle', 'connecting', 'connected', 'failed'])
export type AttachedState = z.infer<typeof AttachedState>
/**
 * The sign-in to a server. `needed`: the server requires one. `again`: the earlier sign-in has ended; `problem` says why. `more`: the server asks
 * for the scopes `wants`; an owner can grant them with another sign-in.
 */
export const AttachedSignIn = z.object({
  state: z.enum(['needed', 'signed_in', 'again', 'more']),
  /** The authorization server. */
  issuer: z.string().optional(),
  scopes: z.array(z.string()),
  wants: z.array(z.string()),
  /** When the access token expires, Unix ms; absent: the server did not say. */
  expiresAt: z.number().optional(),
  /** JARVIS renews the token by itself. */
  isRenewed: z.boolean(),
  /** The person who signed in, and when, Unix ms. */
  by: z.string().optional(),
  at: z.number().optional(),
  problem: z.string().optional(),
})
export type AttachedSignIn = z.infer<typeof AttachedSignIn>
/**
 * `address`: an address of JARVIS for one browser, valid for ten minutes. It redirects to the authorization server `issuer` and requests `scopes`.
 */
export const AttachedSignInReply = z.object({ address: z.string(), issuer: z.string(), scopes: z.array(z.string()) })
export type AttachedSignInReply = z.infer<typeof AttachedSignInReply>

export const AttachedServer = z.object({
  name: z.string(),
  type: z.enum(['stdio', 'http', 'sse']),
  /** The entry of `mcp.json`. Each value of `env` and `headers`, and any other secret, is `[redacted]`. */
  config: AttachedServerConfig,
  state: AttachedState,
  /** Hash of the program with its arguments and environment; set while the program waits to be allowed. */
  program: z.string().optional(),
  /** The server's own name and version. */
  server: z.object({ name: z.string(), version: z.string(), protocolVersion: z.string().optional() }).optional(),
  lastError: z.object({ at: z.number(), message: z.string() }).optional(),
  retryAt: z.number().optional(),
  /** When the server was connected again after the connection had been lost, Unix ms. */
  reconnectedAt: z.number().optional(),
  /** When the connection to the server was lost, Unix ms; absent: it was not, or the server is connected again. */
  goneSince: z.number().optional(),
  /** Absent: the server asked for no sign-in, or a token stands in `headers`. */
  signIn: AttachedSignIn.optional(),
  tools: z.array(AttachedToolInfo),
  /** Tools of the server that cannot be used, and why. */
  refused: z.array(z.object({ toolName: z.string(), problem: z.string() })),
})
export type AttachedServer = z.infer<typeof AttachedServer>
/** `problems`: entries of `mcp.json` that cannot be used, and why. */
export const AttachedServersReply = z.object({ items: z.array(AttachedServer), problems: z.array(z.string()) })
export type AttachedServersReply = z.infer<typeof AttachedServersReply>
/** `source`: the process's stderr, a log message of the server, or a message of JARVIS. */
export const AttachedLogLine = z.object({
  id: z.number(),
  at: z.number(),
  source: z.enum(['stderr', 'server', 'jarvis']),
  text: z.string(),
})
export type AttachedLogLine = z.infer<typeof AttachedLogLine>
