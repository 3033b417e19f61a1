import { createHash, randomBytes } from 'node:crypto'
import type { OAuthAsk, OAuthDecisionReply, OAuthProblem } from 'protocol'
import type { TestJarvis } from './start-jarvis.ts'

export const redirectUri = 'http://localhost:33418/callback'

/** Storage of the SDKs for a sign-in, and the address to which they would have sent the browser. */
export function memoryProvider(options: { redirectUrl?: string; clientMetadataUrl?: string } = {}) {
  const redirectUrl = options.redirectUrl ?? redirectUri
  const kept: { client?: unknown; tokens?: unknown; verifier?: string; sentTo?: URL } = {}
  const provider = {
    clientMetadataUrl: options.clientMetadataUrl,
    redirectUrl,
    clientMetadata: {
      client_name: 'Test Editor',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    state: () => 'a-state',
    clientInformation: () => kept.client as never,
    saveClientInformation: (client: unknown) => {
      kept.client = client
    },
    tokens: () => kept.tokens as never,
    saveTokens: (tokens: unknown) => {
      kept.tokens = tokens
    },
    redirectToAuthorization: (url: URL) => {
      kept.sentTo = url
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier ?? '',
  }
  return { provider, kept }
}

/** As the consent page does: asks what it is about. */
export async function openRequest(jarvis: TestJarvis, query: string): Promise<OAuthAsk & OAuthProblem> {
  const response = await jarvis.rest('/api/oauth/requests', { method: 'POST', json: { query } })
  if (!response.ok) throw new Error(((await response.json()) as { error: { message: string } }).error.message)
  return (await response.json()) as OAuthAsk & OAuthProblem
}

/** The operator's answer. @returns what the browser then carries to the client. */
export async function answerRequest(jarvis: TestJarvis, id: string, json: object = { allow: true, isReadOnly: false }) {
  const response = await jarvis.rest(`/api/oauth/requests/${id}`, { method: 'POST', json })
  if (!response.ok) throw new Error(((await response.json()) as { error: { message: string } }).error.message)
  return new URL(((await response.json()) as OAuthDecisionReply).redirectTo)
}

export const post = (jarvis: TestJarvis, path: string, fields: Record<string, string>, headers = {}) =>
  fetch(jarvis.url + path, { method: 'POST', body: new URLSearchParams(fields), headers })

export async function registerClient(jarvis: TestJarvis, metadata: object = { redirect_uris: [redirectUri] }) {
  const response = await fetch(`${jarvis.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  })
  return { response, body: (await response.json()) as { client_id: string; client_name: string; error?: string } }
}

export const newVerifier = () => randomBytes(32).toString('base64url')
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

/** The query of a request that holds; `changed` makes it one that does not. */
export function queryFor(jarvis: TestJarvis, clientId: string, verifier: string, changed: Record<string, string> = {}) {
  return new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    resource: `${jarvis.url}/mcp`,
    scope: 'jarvis:read jarvis:ask',
    state: 'a-state',
    ...changed,
  }).toString()
}

/** A client that was allowed and holds a code. */
export async function withCode(jarvis: TestJarvis, decision: object = { allow: true, isReadOnly: false }) {
  const { body } = await registerClient(jarvis, { redirect_uris: [redirectUri], client_name: 'Test Editor' })
  const verifier = newVerifier()
  const { id } = await openRequest(jarvis, queryFor(jarvis, body.client_id, verifier))
  const code = (await answerRequest(jarvis, id, decision)).searchParams.get('code') ?? ''
  const fields = {
    grant_type: 'authorization_code',
    client_id: body.client_id,
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
    resource: `${jarvis.url}/mcp`,
  }
  return { clientId: body.client_id, fields }
}

export type Tokens = { access_token: string; refresh_token: string; scope: string; expires_in: number }

export async function signedInClient(jarvis: TestJarvis, decision?: object) {
  const { clientId, fields } = await withCode(jarvis, decision)
  const tokens = (await (await post(jarvis, '/oauth/token', fields)).json()) as Tokens
  return { clientId, fields, tokens }
}

/** Asks `/mcp` for its tools. */
export const askMcp = (jarvis: TestJarvis, token: string | undefined, path = '/mcp', headers = {}, url = jarvis.url) =>
  fetch(url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    }),
  })
