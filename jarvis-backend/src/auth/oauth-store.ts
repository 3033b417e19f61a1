import type { ApiToken } from './api-tokens.ts'

/** A client as its registration or document describes itself; nothing in it is proven. */
export type OAuthClient = { id: string; name: string; redirectUris: string[] }

/**
 * The consent that an operator gave a client. Its token is a token of the door `mcp`; it is listed, used and revoked like other tokens, but has
 * changing secrets. `resource`: the only address at which the secrets are valid.
 */
export type Consent = { token: ApiToken; clientId: string; resource: string }

/** `expiresAt`: Unix ms. `isUsed`: the refresh token was exchanged already. */
export type OAuthSecret = { consent: Consent; kind: 'access' | 'refresh'; expiresAt: number; isUsed: boolean }

export interface OAuthStore {
  addClient(client: OAuthClient, createdAt: number): void
  client(id: string): OAuthClient | undefined
  /** Deletes clients without a consent that are older than `before` (Unix ms), and the oldest beyond the `most` newest. */
  pruneClients(before: number, most: number): void
  addConsent(consent: Consent): void
  extendConsent(name: string, expiresAt: number): void
  /** Expiry of a consent, Unix ms; undefined for an unknown name. */
  consentUntil(name: string): number | undefined
  /** @returns false for an unknown name */
  endConsent(name: string): boolean
  addSecret(hash: string, secret: { name: string; kind: OAuthSecret['kind']; expiresAt: number }): void
  secret(hash: string): OAuthSecret | undefined
  /** Marks a secret as used, by compare-and-set. @returns false if it was used before */
  use(hash: string, at: number): boolean
  /** Deletes consents and secrets that have expired. */
  prune(now: number): void
}
