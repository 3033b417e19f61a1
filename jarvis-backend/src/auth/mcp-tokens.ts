import { randomBytes } from 'node:crypto'
import { JarvisError, type McpTokenInfo } from '../protocol/index.ts'
import { hashToken } from './tokens.ts'

/** A token of an MCP client: it may call tools and can never decide a confirmation. An OAuth client's secrets change under one name. */
export type McpToken = McpTokenInfo

export interface McpTokenStore {
  /** @returns false when the name is taken */
  add(token: McpToken, hash: string): boolean
  byHash(hash: string): McpToken | undefined
  list(): McpToken[]
  remove(name: string): boolean
  used(name: string, at: number): void
}

export type McpTokens = {
  /** @returns the secret, which is not stored and cannot be shown again. @throws JarvisError `invalid_request` */
  create(options: { name: string; isReadOnly: boolean; expiresInMs?: number }): string
  /** @throws JarvisError `unauthorized`, `token_expired`. */
  verify(token: string): McpToken
  list(): McpToken[]
  revoke(name: string): boolean
}

/** Least time between two writes of the last use, ms, so that most read-only calls need no write. */
export const touchEveryMs = 60_000

export function createMcpTokens(store: McpTokenStore, now: () => number): McpTokens {
  return {
    create({ name, isReadOnly, expiresInMs }) {
      if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
        throw new JarvisError(
          'invalid_request',
          'A token name has 1 to 64 letters, digits, dots, dashes or underscores, for example ops-laptop.',
        )
      }
      const token = `jmcp_${randomBytes(24).toString('base64url')}`
      const createdAt = now()
      const expiry = expiresInMs === undefined ? {} : { expiresAt: createdAt + expiresInMs }
      if (!store.add({ name, isReadOnly, createdAt, ...expiry }, hashToken(token))) {
        throw new JarvisError(
          'invalid_request',
          `There is a token ${name} already. Revoke it first, or choose another name.`,
        )
      }
      return token
    },
    verify(token) {
      const known = store.byHash(hashToken(token))
      if (known === undefined)
        throw new JarvisError(
          'unauthorized',
          'This MCP token is not known. Make one with: npm run jarvis -- mcp-token create NAME',
        )
      if (known.expiresAt !== undefined && known.expiresAt <= now()) {
        throw new JarvisError('token_expired', `The MCP token ${known.name} has expired. Make a new one.`)
      }
      if (now() - (known.lastUsedAt ?? 0) > touchEveryMs) store.used(known.name, now())
      return known
    },
    list: () => store.list(),
    revoke: (name) => store.remove(name),
  }
}
