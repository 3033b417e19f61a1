import { createHash } from 'node:crypto'
import type { OAuthClientInformationMixed } from '@modelcontextprotocol/client'
import type { ServerMetadata } from './discovery.ts'

/** A stored sign-in; it is sealed. Its access token is sent only to `url`, and its refresh token only to the issuer in `metadata`. */
export type Kept = {
  /** The attached server's address at the sign-in. For another address, the sign-in is not valid. */
  url: string
  resource: string
  metadata: ServerMetadata
  client: OAuthClientInformationMixed
  /** True: the client comes from `mcp.json` and is dropped with its entry there. */
  isOwnClient?: true
  /** The authorization server no longer knows the client. */
  isClientRefused?: true
  /** The redirect URI with which the client was registered. */
  redirectUri: string
  /** Absent once the sign-in has ended. */
  accessToken?: string | undefined
  refreshToken?: string | undefined
  /** Unix ms. */
  expiresAt?: number | undefined
  scopes: string[]
  by: string
  at: number
  /** Reason why the sign-in has ended. */
  problem?: string | undefined
}

/** A client that an owner registered by hand. `client`: the same hash as in `Pin`. `isNamed`: the entry in `mcp.json` names the client's issuer. */
export type OwnClient = { client: string; isNamed: boolean }
/** The authorization server at which a hand-written client was used first. `client`: SHA-256 of its id and secret. */
export type Pin = { issuer: string; client: string }

/** Returns the tokens in an answer. @throws Error if they are not of a kind that JARVIS can send */
export function tokensFrom(
  answer: {
    access_token: string
    token_type: string
    expires_in?: number | undefined
    refresh_token?: string | undefined
    scope?: string | undefined
  },
  asked: readonly string[],
  now: number,
): Pick<Kept, 'accessToken' | 'refreshToken' | 'expiresAt' | 'scopes'> {
  if (answer.token_type.toLowerCase() !== 'bearer') throw new Error(`its tokens are of the type ${answer.token_type}`)
  if (!/^[\x21-\x7e]{1,16384}$/.test(answer.access_token)) throw new Error('its token cannot be sent in a header')
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token,
    expiresAt: answer.expires_in === undefined ? undefined : now + answer.expires_in * 1_000,
    scopes: answer.scope === undefined ? [...asked] : answer.scope.split(/\s+/).filter(Boolean),
  }
}

export const secretsOfKept = ({ accessToken, refreshToken, client }: Kept): string[] =>
  [accessToken, refreshToken, client.client_secret].filter((secret) => secret !== undefined)

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')
