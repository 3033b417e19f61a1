import type { OpenRequests } from '../auth/open-requests.ts'
import { mcpTokenRoutes } from '../http/mcp-tokens.ts'
import { tokenRoutes } from '../http/tokens.ts'
import type { Site } from '../site.ts'

/** Wires the tokens of programs: their routes, and what ends with a token. */
export function composeTokens(
  {
    apiTokens,
    tokenUse,
    runs,
    gate: { confirmations, grants },
  }: Pick<Site, 'apiTokens' | 'tokenUse' | 'runs' | 'gate'>,
  { open }: { open: OpenRequests },
) {
  const parts = {
    tokens: {
      ...apiTokens,
      /** With every request so far. */
      list() {
        tokenUse.flush()
        return apiTokens.list()
      },
    },
    revoked(name: string, by: string) {
      for (const { toolUseId, requestedBy } of confirmations.pending()) {
        if (requestedBy.token === name) confirmations.cancel(toolUseId, by, 'Its token was revoked.')
      }
      for (const { id, requestedBy } of grants.list()) if (requestedBy.token === name) grants.revoke(id, by)
      runs.look()
      open.look()
    },
  }
  return { routes: { tokens: tokenRoutes(parts), 'mcp-tokens': mcpTokenRoutes(parts) } }
}
