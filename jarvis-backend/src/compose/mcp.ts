import type { Calls } from '../agent/calls.ts'
import type { Runs } from '../agent/runs.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import type { McpBearer } from '../auth/mcp-bearer.ts'
import type { McpToken } from '../auth/mcp-tokens.ts'
import type { Confirmations } from '../calls/confirmations/confirmations.ts'
import { legibleValue, type Redactor } from '../gate/index.ts'
import type { Cluster } from '../homelab/ports.ts'
import { onFirstUse } from '../http/on-first-use.ts'
import type { Clock } from '../lib/clock.ts'
import type { CallParts } from '../mcp/server/call-tool.ts'
import type { Surface } from '../mcp/server/surface.ts'
import type { KeptJournal } from '../store/sqlite/journal/kept.ts'
import type { Catalog } from '../tools/catalog.ts'

/** Wires `/mcp`, whose code is loaded by its first request. */
export function composeMcp(parts: {
  catalog: Catalog
  runs: Pick<Runs, 'isRunning'>
  calls: Calls
  kept: CallParts['kept']
  store: TranscriptStore
  confirmations: Confirmations
  cluster: Cluster
  journal: KeptJournal
  redactor: Redactor
  bearer: McpBearer
  clock: Clock
  version: string
  /** What clients see besides tools, in the place of the real thing. */
  surface: ((real: Surface) => Surface) | undefined
  /** Aborts when the server goes down. */
  stopping: AbortSignal
  report(error: unknown, message: string): void
  log(text: string, level: 'info'): void
}) {
  const { runs, store, confirmations, cluster, journal, redactor, report } = parts
  let answered = async () => {}

  /** One session for each token; its id is derived, so that it is found again. */
  function sessionOf(token: McpToken): string {
    const id = sessionIdOf(token.name)
    if (!runs.isRunning(id) && store.session(id) === undefined) {
      store.createSession({ id, title: `MCP: ${token.name}`, source: 'mcp', at: parts.clock.now() })
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
      ...parts,
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
    /** Takes away what a token that was revoked left waiting. */
    withdraw(tokenName: string, by: string) {
      for (const { toolUseId } of confirmations.pending(sessionIdOf(tokenName))) {
        confirmations.cancel(toolUseId, by, 'Its MCP token was revoked.')
      }
    },
  }
}

const sessionIdOf = (tokenName: string) => `ses_mcp_${tokenName}`
