import { JarvisError, McpTokenBody, McpTokenInfo, McpTokenReply } from 'protocol'
import { z } from 'zod'
import type { ApiToken } from '../auth/api-tokens.ts'
import { type Route, route } from './route.ts'
import { makeToken, type TokenRouteParts } from './tokens.ts'

const isMcp = ({ doors }: ApiToken) => doors.includes('mcp')
const inOlderForm = <Token extends ApiToken>(token: Token): Token & McpTokenInfo => ({
  ...token,
  isReadOnly: token.scope === 'read',
})

/** `/api/mcp-tokens`: the older form of `/api/tokens`, only for tokens of the door `mcp`. */
export const mcpTokenRoutes = ({ tokens, revoked }: TokenRouteParts): Route[] => [
  route('/mcp-tokens').get(
    'Tokens of the door `mcp`, in an older form of `/api/tokens`.',
    { role: 'operator', reply: z.object({ items: z.array(McpTokenInfo) }) },
    () => ({ items: tokens.list().filter(isMcp).map(inOlderForm) }),
  ),
  route('/mcp-tokens').post(
    'Makes a token of the door `mcp`. `token` is shown once.',
    { role: 'operator', password: true, status: 201, body: McpTokenBody, reply: McpTokenReply },
    ({ body: { isReadOnly, ...rest }, by }) =>
      inOlderForm(makeToken(tokens, { ...rest, doors: ['mcp'], scope: isReadOnly ? 'read' : 'ask' }, by)),
  ),
  route('/mcp-tokens/:name').delete(
    'Revokes a token of the door `mcp`.',
    { role: 'operator' },
    ({ params: { name }, by }) => {
      if (!tokens.list().some((token) => token.name === name && isMcp(token))) {
        throw new JarvisError('not_found', `There is no MCP token ${name}.`)
      }
      tokens.revoke(name, by)
      revoked(name, by)
    },
  ),
]
