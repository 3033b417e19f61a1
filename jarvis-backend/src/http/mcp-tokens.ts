import { Router } from 'express'
import type { ApiToken } from '../auth/api-tokens.ts'
import { JarvisError, McpTokenBody, type McpTokenInfo, type McpTokenReply } from '../protocol/index.ts'
import { identityOf, operatorOnly, param, passwordAgain, read } from './handle.ts'
import { makeToken, type TokenRouteParts } from './tokens.ts'

const isMcp = ({ doors }: ApiToken) => doors.includes('mcp')
const inOlderForm = <Token extends ApiToken>(token: Token): Token & McpTokenInfo => ({
  ...token,
  isReadOnly: token.scope === 'read',
})

/** `/api/mcp-tokens`: the older form of `/api/tokens`, for tokens of the door `mcp` alone. */
export function mcpTokenRoutes({ tokens, revoked, stepUp }: TokenRouteParts): Router {
  const router = Router()
  router.use(operatorOnly)
  router.get('/', (_request, response) => {
    response.json({ items: tokens.list().filter(isMcp).map(inOlderForm) })
  })
  router.post('/', passwordAgain(stepUp), (request, response) => {
    const { isReadOnly, ...rest } = read(McpTokenBody, request.body)
    const scope = isReadOnly ? ('read' as const) : ('ask' as const)
    const reply: McpTokenReply = inOlderForm(
      makeToken(tokens, { ...rest, doors: ['mcp'], scope }, identityOf(response).sub),
    )
    response.status(201).json(reply)
  })
  router.delete('/:name', (request, response) => {
    const name = param(request, 'name')
    if (!tokens.list().some((token) => token.name === name && isMcp(token))) {
      throw new JarvisError('not_found', `There is no MCP token ${name}.`)
    }
    tokens.revoke(name, identityOf(response).sub)
    revoked(name, identityOf(response).sub)
    response.status(204).end()
  })
  return router
}
