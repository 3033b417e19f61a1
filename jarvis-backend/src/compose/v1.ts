import type { McpTokens } from '../auth/mcp-tokens.ts'
import type { RequestGuard } from '../auth/request-guard.ts'
import type { Config } from '../config/config.ts'
import { createStreamRedactor } from '../gate/index.ts'
import { onFirstUse } from '../http/on-first-use.ts'
import { JarvisError } from '../protocol/index.ts'
import { createAskedStore } from '../store/sqlite/asked.ts'
import type { ProgramBearer } from '../v1/token.ts'
import type { Site } from './site.ts'

/** Wires `/v1`. Its code is loaded by the first request. */
export function composeV1(
  site: Site,
  parts: { guard: RequestGuard; bearer: ProgramBearer; config: Pick<Config, 'v1HoldMs'> },
) {
  const { runs, store: transcripts, clock, report, database, redactor } = site
  const { confirmations } = site.gate
  const { agents } = site.agents
  const startedAt = site.now()
  let answered = async () => {}

  const handle = onFirstUse(async () => {
    const [{ createAsk }, { createConduct }, { createListeners }, { createPlain }, chat, { createV1Routes }, opened] =
      await Promise.all([
        import('../v1/ask.ts'),
        import('../v1/conduct.ts'),
        import('../v1/listeners.ts'),
        import('../v1/plain.ts'),
        import('../v1/chat/handle.ts'),
        import('../v1/routes.ts'),
        import('../mcp/server/open-requests.ts'),
      ])
    const asked = createAskedStore(database)
    const core = {
      ...{ runs, transcripts, asked, clock, report },
      stopping: site.stopping,
      isStopping: site.isStopping,
    }
    const open = opened.createOpenRequests({ clock, refused() {} })
    answered = open.answered
    return createV1Routes({
      ...{ guard: parts.guard, bearer: parts.bearer, agents, startedAt, report },
      watchToken: (response, token, stillCounts) => void open.add(response, token, stillCounts),
      chatCompletions: chat.createChatCompletions({
        ...{ agents, clock, holdMs: parts.config.v1HoldMs },
        hasTool: (name) => site.catalog.get(name) !== undefined,
        ask: createAsk(core),
        conduct: createConduct({ ...core, listeners: createListeners(core) }),
        plain: createPlain({
          models: site.models.choice,
          budgets: site.budgets.keeper,
          used: site.models.used,
          redact: redactor.text,
          stream: () => createStreamRedactor(redactor),
        }),
      }),
    })
  }, report)

  return {
    handle,
    /** Resolves once every request has its answer. */
    answered: () => answered(),
    /** Withdraws the waiting cards of a revoked token. */
    withdraw(token: string, by: string) {
      for (const { toolUseId, requestedBy } of confirmations.pending())
        if (requestedBy.kind === 'v1' && requestedBy.token === token)
          confirmations.cancel(toolUseId, by, 'Its token was revoked.')
    },
  }
}

/** Programs use MCP tokens until tokens name their doors. OAuth clients are let in to `/mcp` alone. */
export const mcpTokensAsBearer = (tokens: McpTokens): ProgramBearer => ({
  verify({ headers }) {
    const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]
    if (bearer === undefined) throw new JarvisError('unauthorized', 'Send a token: Authorization: Bearer jmcp_…')
    return { token: tokens.verify(bearer), stillCounts: () => void tokens.verify(bearer) }
  },
})
