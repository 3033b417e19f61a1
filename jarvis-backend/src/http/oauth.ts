import express, { type Request, Router } from 'express'
import { JarvisError } from 'protocol'
import type { OAuthClients } from '../auth/oauth-clients.ts'
import { OAuthError } from '../auth/oauth-error.ts'
import { resourceOf, scopes } from '../auth/oauth-requests.ts'
import type { OAuthSecrets, TokenReply } from '../auth/oauth-secrets.ts'
import type { OriginOf } from '../auth/public-origin.ts'
import { onError } from './errors.ts'

const scopesSupported = Object.values(scopes)

/** OAuth 2.1 endpoints for MCP clients (RFC 9728, 8414, 7591, 7009). The consent page is the dashboard's `/oauth/authorize`. */
export function oauthRoutes(parts: {
  clients: OAuthClients
  secrets: OAuthSecrets
  originOf: OriginOf
  /** Counts a registration. @throws JarvisError `too_many_requests` */
  limitRegistrations(request: Request): void
}): Router {
  const { clients, secrets, originOf } = parts
  const router = Router()
  router.use(['/.well-known', '/oauth/register', '/oauth/token', '/oauth/revoke'], (_request, response, next) => {
    response.set('Cache-Control', 'no-store')
    next()
  })

  router.get('/.well-known/oauth-protected-resource{/mcp}', (request, response) => {
    const origin = originOf(request)
    response.json({
      resource: resourceOf(origin),
      resource_name: 'JARVIS',
      authorization_servers: [origin],
      scopes_supported: scopesSupported,
      bearer_methods_supported: ['header'],
    })
  })
  router.get('/.well-known/oauth-authorization-server', (request, response) => {
    const origin = originOf(request)
    response.json({
      issuer: origin,
      authorization_endpoint: `${origin}/oauth/authorize`,
      token_endpoint: `${origin}/oauth/token`,
      registration_endpoint: `${origin}/oauth/register`,
      revocation_endpoint: `${origin}/oauth/revoke`,
      scopes_supported: scopesSupported,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: clients.takesDocuments(),
    })
  })
  // Clients try several paths. A path that does not exist must be answered with 404 and not with the dashboard's page.
  router.use('/.well-known', (request) => {
    throw new JarvisError('not_found', `There is no ${request.baseUrl}${request.path}.`)
  })

  router.post('/oauth/register', express.json({ limit: '16kb' }), (request, response) => {
    parts.limitRegistrations(request)
    const { id, name, redirectUris } = clients.register(request.body)
    response.status(201).json({
      client_id: id,
      client_id_issued_at: Math.floor(Date.now() / 1000),
      client_name: name,
      redirect_uris: redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: scopesSupported.join(' '),
    })
  })

  const form = express.urlencoded({ extended: false, limit: '16kb' })
  router.post('/oauth/token', form, (request, response) => {
    response.json(tokenReply(request))
  })
  router.post('/oauth/revoke', form, (request, response) => {
    const field = fieldsOf(request)
    secrets.revoke(field('token'), field.perhaps('client_id'))
    response.status(200).end()
  })
  router.use(asOAuthError)
  return router

  function tokenReply(request: Request): TokenReply {
    const field = fieldsOf(request)
    const resource = field.perhaps('resource')
    const common = { clientId: field('client_id'), resource }
    const redirectUri = field.perhaps('redirect_uri')
    switch (field('grant_type')) {
      case 'authorization_code':
        return secrets.exchange({
          ...common,
          code: field('code'),
          verifier: field('code_verifier'),
          redirectUri,
        })
      case 'refresh_token':
        return secrets.refresh({ ...common, refreshToken: field('refresh_token') })
      default:
        throw new OAuthError('unsupported_grant_type', 'Only authorization_code and refresh_token are served.')
    }
  }
}

/** Reads the fields of a form; each may occur once. @throws OAuthError `invalid_request` */
function fieldsOf(request: Request) {
  const body = (request.body ?? {}) as Record<string, unknown>
  const perhaps = (name: string): string | undefined => {
    const value = Object.hasOwn(body, name) ? body[name] : undefined
    if (value === undefined || typeof value === 'string') return value
    throw new OAuthError('invalid_request', `${name} is there twice.`)
  }
  const field = (name: string): string => {
    const value = perhaps(name)
    if (value === undefined || value === '') throw new OAuthError('invalid_request', `${name} is missing.`)
    return value
  }
  return Object.assign(field, { perhaps })
}

const asOAuthError = onError((error, { response, next }) => {
  if (!(error instanceof OAuthError)) {
    next(error)
    return
  }
  response.status(error.code === 'invalid_client' ? 401 : 400)
  response.json({ error: error.code, error_description: error.message })
})
