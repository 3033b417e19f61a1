import { guardedFetch } from './guarded-fetch.ts'
import type { Kept } from './tokens.ts'

/**
 * Revokes the tokens of a sign-in at its authorization server (RFC 7009). @returns false if the server offers no revocation, if it did not revoke
 * all of them, or if there are no tokens
 */
export async function revoke(kept: Kept, log: { report(error: unknown, message: string): void }): Promise<boolean> {
  const { metadata, client, refreshToken, accessToken } = kept
  const place = metadata.revocation_endpoint
  const tokens = [
    ...(refreshToken === undefined ? [] : [['refresh_token', refreshToken] as const]),
    ...(accessToken === undefined ? [] : [['access_token', accessToken] as const]),
  ]
  if (typeof place !== 'string' || tokens.length === 0) return false
  try {
    const ask = guardedFetch(new URL(kept.url))
    for (const [hint, token] of tokens) {
      const body = new URLSearchParams({ token, token_type_hint: hint })
      const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' })
      const { client_id: id, client_secret: secret } = client
      const methods =
        metadata.revocation_endpoint_auth_methods_supported ?? metadata.token_endpoint_auth_methods_supported
      if (secret !== undefined && (methods === undefined || methods.includes('client_secret_basic')))
        headers.set('authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`)
      else {
        body.set('client_id', id)
        if (secret !== undefined) body.set('client_secret', secret)
      }
      const response = await ask(place, { method: 'POST', headers, body })
      if (!response.ok) return false
    }
    return true
  } catch (error) {
    log.report(error, `a token was not revoked at ${new URL(metadata.issuer).host}`)
    return false
  }
}
