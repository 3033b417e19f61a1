import type { McpBearer } from '../auth/mcp-bearer.ts'
import type { McpToken } from '../auth/mcp-tokens.ts'
import { legibleValue } from '../gate/index.ts'
import { onFirstUse } from '../http/on-first-use.ts'
import type { Surface } from '../mcp/server/surface.ts'
import type { Site } from './site.ts'

/**
 * Wires `/mcp`. Its code is loaded by the first request.
 * @param parts.surface replaces the resources, prompts and completions that clients see, for tests
 */
export function composeMcp(
  site: Site,
  parts: { bearer: McpBearer; version: string; surface: ((real: Surface) => Surface) | undefined },
) {
  const { runs, store, journal, redactor, report } = site
  const { cluster } = site.homelab
  const { confirmations } = site.gate
  let answered = async () => {}

  /** Each token has one session. Its id is derived from the token's name, so a restart finds it again. */
  function sessionOf(token: McpToken): string {
    const id = sessionIdOf(token.name)
    if (!runs.isRunning(id) && store.session(id) === undefined) {
      store.createSession({ id, title: `MCP: ${token.name}`, source: 'mcp', at: site.now() })
    }
    return id
  }

  const handle = onFirstUse(async () => {
    const { createMcpRoute, clusterSurface } = await import('../mcp/server/server.ts')
    const surface = clusterSurface({
      cluster: () => legibleValue(cluster.state()),
      journal: (limit) => journal.page({ limit }),
      redact: (value) => legibleValue(redactor.value(value)),
    })
    const route = createMcpRoute({
      ...site,
      ...parts,
      // Attached servers' tools are not offered to MCP clients.
      catalog: site.houseTools,
      watched: { cluster, watchJournal: journal.watch },
      surface: parts.surface?.(surface) ?? surface,
      entriesOf: store.entriesOfRun,
      asked(callId) {
        const known = confirmations.ofCall(callId)
        return known && { ...known, entries: store.entriesOfRun(known.runId) }
      },
      sessionOf,
      waiting: (sessionId) => confirmations.pending(sessionId).length,
    })
    answered = route.answered
    return route.handle
  }, report)

  return {
    handle,
    /** Resolves once every request has its answer. */
    answered: () => answered(),
    /** Cancels the waiting cards of a revoked token. */
    withdraw(tokenName: string, by: string) {
      for (const { toolUseId } of confirmations.pending(sessionIdOf(tokenName))) {
        confirmations.cancel(toolUseId, by, 'Its MCP token was revoked.')
      }
    },
  }
}

const sessionIdOf = (tokenName: string) => `ses_mcp_${tokenName}`
