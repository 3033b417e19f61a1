import { z } from 'zod'

/** A way in for programs: `/mcp`, `/v1`, `/api` and `/metrics`. */
export const Door = z.enum(['mcp', 'v1', 'api', 'metrics'], 'is mcp, v1, api or metrics')
export type Door = z.infer<typeof Door>

/** `ask`: the program may read, and may request calls that change something. A person decides those calls. No token can decide. */
export const TokenScope = z.enum(['read', 'ask'], 'is read or ask')
export type TokenScope = z.infer<typeof TokenScope>

/**
 * Rights that a token has besides its scope, at the door `api`: the texts of the memory, and those of agents. A right to write includes that to
 * read. They count as far as the token's person has them.
 */
export const TokenArea = z.enum(
  ['memory:read', 'memory:write', 'agents:read', 'agents:write'],
  'is memory:read, memory:write, agents:read or agents:write',
)
export type TokenArea = z.infer<typeof TokenArea>

const expiresInDays = z.int().min(1).max(3_650).optional()
export const RequestsPerMinute = z.int('is a whole number').min(1).max(1_000_000)
const name = z.string().max(64)

export const ApiTokenBody = z.strictObject({
  name,
  doors: z.array(Door).min(1, 'names at least one door: mcp, v1, api or metrics').max(Door.options.length),
  scope: TokenScope.default('read'),
  /** Absent: none. They need the door `api`. */
  areas: z.array(TokenArea).max(TokenArea.options.length).optional(),
  expiresInDays,
  /** Maximum number of requests a minute; absent: no limit. */
  requestsPerMinute: RequestsPerMinute.optional(),
})

/** A program's token. No token can decide a confirmation. Times in Unix ms. */
export const ApiTokenInfo = z.object({
  name: z.string(),
  doors: z.array(Door),
  scope: TokenScope,
  /** Absent: none. */
  areas: z.array(TokenArea).optional(),
  /** The last characters of the secret; absent for tokens of older releases and for tokens of OAuth clients. */
  hint: z.string().optional(),
  /** Maximum number of requests a minute that are accepted; absent: no limit. */
  requestsPerMinute: z.number().optional(),
  /** Number of accepted requests. */
  calls: z.number(),
  createdAt: z.number(),
  expiresAt: z.number().optional(),
  lastUsedAt: z.number().optional(),
  /** The person who made the token. The program acts in this person's name. Absent: the first owner. */
  person: z.string().optional(),
  /** The OAuth client's own name; absent for tokens that were made by hand. */
  clientName: z.string().optional(),
})
export type ApiTokenInfo = z.infer<typeof ApiTokenInfo>
/** `token`: the secret, shown this once. */
export const ApiTokenReply = ApiTokenInfo.extend({ token: z.string() })
export type ApiTokenReply = z.infer<typeof ApiTokenReply>

/** The older form of `ApiTokenBody`, for a token of the door `mcp`. */
export const McpTokenBody = z.strictObject({ name, isReadOnly: z.boolean().default(false), expiresInDays })
export const McpTokenInfo = ApiTokenInfo.extend({ isReadOnly: z.boolean() })
export type McpTokenInfo = z.infer<typeof McpTokenInfo>
export const McpTokenReply = McpTokenInfo.extend({ token: z.string() })
export type McpTokenReply = z.infer<typeof McpTokenReply>
