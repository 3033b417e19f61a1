import { firstOwnerId, mainAgentId, personFor } from 'protocol'
import { isOffered } from '../agents/agent.ts'
import { chosenFor } from '../agents/bindings.ts'
import type { ApiToken } from '../auth/api-tokens.ts'
import type { Bearer } from '../auth/bearer.ts'
import type { OpenRequests } from '../auth/open-requests.ts'
import { isBounded } from '../auth/roles.ts'
import { legibleValue } from '../gate/index.ts'
import { onFirstUse } from '../http/on-first-use.ts'
import type { Surface } from '../mcp/server/surface.ts'
import type { Site } from '../site.ts'

/**
 * Wires `/mcp`. Its code is loaded by the first request.
 * @param parts.surface replaces the resources, prompts and completions that clients see, for tests
 */
export function composeMcp(
  site: Site,
  parts: { bearer: Bearer; open: OpenRequests; version: string; surface: ((real: Surface) => Surface) | undefined },
) {
  const { runs, store, journal, redactor, report } = site
  const { cluster } = site.homelab
  const { confirmations } = site.gate
  const { agents } = site

  /** A binding says in whose name a client calls; it may narrow a token, and never widens it. */
  const agentOf = (token: ApiToken): string => chosenFor(agents.list(), { door: 'mcp', token: token.name })[0].agent

  /**
   * Each token has one session with each agent. Its id is derived from the token's name, so a restart finds it again. Where another person's token
   * had that name, the session is that person's, and this one gets another.
   */
  function sessionOf(token: ApiToken): string {
    const agent = agentOf(token)
    const usual = sessionIdOf(token.name, agent)
    const known = store.session(usual)
    const id = known === undefined || known.person === token.person ? usual : `${usual}@${token.person ?? firstOwnerId}`
    if (!runs.isRunning(id) && store.session(id) === undefined) {
      store.createSession({
        id,
        title: `MCP: ${token.name}`,
        source: 'mcp',
        agent,
        at: site.now(),
        ...personFor(token.person ?? ''),
      })
    }
    return id
  }

  return onFirstUse(async () => {
    const { createMcpRoute, clusterSurface } = await import('../mcp/server/server.ts')
    const surface = clusterSurface({
      cluster: () => legibleValue(cluster.state()),
      sightOf: ({ person }) => site.gate.sightOf(person === undefined ? {} : { person }),
      seesWhole({ person }) {
        const { role } = site.known.find(person) ?? {}
        return role !== undefined && !isBounded(role)
      },
      journal: async (limit, { person }) => site.shown(site.known.find(person)).journal(await journal.page({ limit })),
      redact: (value) => legibleValue(redactor.value(value)),
    })
    return createMcpRoute({
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
      isOffered(token, tool) {
        const agent = agents.find(agentOf(token))
        return agent !== undefined && isOffered(agent, tool)
      },
      waiting: (sessionId) => confirmations.pending(sessionId).length,
    })
  }, report)
}

/** No agent's id holds a _, so that no two pairs share one. No token's name holds an @. */
const sessionIdOf = (tokenName: string, agent: string) =>
  agent === mainAgentId ? `ses_mcp_${tokenName}` : `ses_mcp@${agent}_${tokenName}`
