import { Router } from 'express'
import type { McpTokens } from '../auth/mcp-tokens.ts'
import type { StepUp } from '../auth/step-up.ts'
import type { Journal, Transactions } from '../calls/ports.ts'
import { JarvisError, McpTokenBody, type McpTokenReply } from '../protocol/index.ts'
import { identityOf, operatorOnly, param, passwordAgain, read } from './handle.ts'

const dayMs = 24 * 60 * 60_000

/** `/api/mcp-tokens`, for operators: lists, makes and revokes tokens. A token's secret is shown once, when it is made. */
export function mcpTokenRoutes(parts: {
  tokens: McpTokens
  journal: Journal
  transactions: Transactions
  /** Cancels the token's waiting cards. */
  withdraw(name: string, by: string): void
  stepUp: StepUp
}): Router {
  const { tokens, journal, transactions } = parts
  const router = Router()
  router.use(operatorOnly)
  router.get('/', (_request, response) => {
    response.json({ items: tokens.list() })
  })
  router.post('/', passwordAgain(parts.stepUp), (request, response) => {
    const { name, isReadOnly, expiresInDays } = read(McpTokenBody, request.body)
    const rights = { isReadOnly, ...(expiresInDays !== undefined && { expiresInMs: expiresInDays * dayMs }) }
    const token = transactions.durably(() => {
      const made = tokens.create({ name, ...rights })
      journal.append('token', { change: 'created', name, ...rights, by: identityOf(response).sub })
      return made
    })
    const made = tokens.list().find((known) => known.name === name)
    if (made === undefined) throw new JarvisError('not_found', `${name} was revoked as it was made.`)
    const reply: McpTokenReply = { ...made, token }
    response.status(201).json(reply)
  })
  router.delete('/:name', (request, response) => {
    const name = param(request, 'name')
    transactions.durably(() => {
      if (!tokens.revoke(name)) throw new JarvisError('not_found', `There is no MCP token ${name}.`)
      journal.append('token', { change: 'revoked', name, by: identityOf(response).sub })
    })
    parts.withdraw(name, identityOf(response).sub)
    response.status(204).end()
  })
  return router
}
