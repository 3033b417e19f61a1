import type { McpToken } from './mcp-tokens.ts'

/** A client as its own registration or document describes it; nothing of it is proven. */
export type OAuthClient = { id: string; name: string; redirectUris: string[] }

/**
 * What an operator allowed one client: an MCP token that is listed, used and revoked like any other, whose secrets change.
 * `resource`: the only address its secrets count at.
 */
export type Consent = { token: McpToken; clientId: string; resource: string }

/** Unix ms. `isUsed`: a refresh token that was exchanged for the next. */
export type OAuthSecret = { consent: Consent; kind: 'access' | 'refresh'; expiresAt: number; isUsed: boolean }

export interface OAuthStore {
  addClient(client: OAuthClient, createdAt: number): void
  client(id: string): OAuthClient | undefined
  /** Forgets clients that hold no consent: those from before `before`, and the oldest beyond the `most` newest. */
  pruneClients(before: number, most: number): void
  addConsent(consent: Consent): void
  extendConsent(name: string, expiresAt: number): void
  /** Until when it counts; undefined where there is none of that name. */
  consentUntil(name: string): number | undefined
  /** @returns false where there is none of that name. */
  endConsent(name: string): boolean
  addSecret(hash: string, secret: { name: string; kind: OAuthSecret['kind']; expiresAt: number }): void
  secret(hash: string): OAuthSecret | undefined
  /** Compare-and-set. @returns false when it was used before. */
  use(hash: string, at: number): boolean
  used(name: string, at: number): void
  /** Forgets consents and secrets that have expired. */
  prune(now: number): void
}
