import type { RequestListener } from 'node:http'
import type { Cluster } from 'homelab-ports/ports'
import { firstOwnerId, mainAgentId, type PersonRef, personFor } from 'protocol'
import type { ComposedRuns } from '../../agent/room.ts'
import { type Agents, isOffered } from '../../agents/agent.ts'
import { chosenFor } from '../../agents/bindings.ts'
import type { ApiToken } from '../../auth/api-tokens.ts'
import type { Bearer } from '../../auth/bearer.ts'
import type { Shown } from '../../auth/closed-words.ts'
import type { OpenRequests } from '../../auth/open-requests.ts'
import { isBounded } from '../../auth/roles.ts'
import type { ComposedPeople } from '../../auth/room.ts'
import type { Gate } from '../../calls/room.ts'
import type { Foundation } from '../../foundation.ts'
import { legibleValue } from '../../gate/index.ts'
import { defineRoom } from '../../house.ts'
import { onFirstUse } from '../../http/on-first-use.ts'
import type { Catalog } from '../../tools/catalog.ts'
import type { Surface } from './surface.ts'

type Needs = {
  foundation: Pick<Foundation, 'clock' | 'journal' | 'log' | 'now' | 'redact' | 'redactor' | 'report' | 'stopping'>
  /** The tools that are offered to clients: all except those of attached servers. */
  catalog: Catalog
  cluster: Cluster
  agents: Agents
  gate: Pick<Gate, 'confirmations' | 'sightOf'>
  people: ComposedPeople['known']
  shown(person: PersonRef | undefined): Shown
  sessions: Pick<ComposedRuns, 'calls' | 'kept' | 'runs' | 'store'>
  bearer: Bearer
  requests: OpenRequests
  version: string
  /** Replaces the resources, prompts and completions that clients see, for tests. */
  surface: ((real: Surface) => Surface) | undefined
}

/** `/mcp`, the door of MCP clients. Its code is loaded by the first request. */
export const mcpDoorRoom = defineRoom({
  name: 'mcp',
  open(needs: Needs): { mcp: RequestListener } {
    return { mcp: onFirstUse(() => loadDoor(needs), needs.foundation.report) }
  },
})

async function loadDoor(needs: Needs): Promise<RequestListener> {
  const { foundation, agents, gate, people, cluster } = needs
  const { journal, redactor } = foundation
  const { runs, store, calls, kept } = needs.sessions
  const { confirmations } = gate
  const { createMcpRoute, clusterSurface } = await import('./server.ts')
  const sessions = new TokenSessions({ agents, runs, store, now: foundation.now })
  const surface = clusterSurface({
    cluster: () => legibleValue(cluster.state()),
    sightOf: ({ person }) => gate.sightOf(person === undefined ? {} : { person }),
    seesWhole({ person }) {
      const { role } = people.find(person) ?? {}
      return role !== undefined && !isBounded(role)
    },
    journal: async (limit, { person }) => needs.shown(people.find(person)).journal(await journal.page({ limit })),
    redact: (value) => legibleValue(redactor.value(value)),
  })
  return createMcpRoute({
    ...foundation,
    bearer: needs.bearer,
    open: needs.requests,
    version: needs.version,
    calls,
    kept,
    catalog: needs.catalog,
    watched: { cluster, watchJournal: (listener) => journal.watch(listener) },
    surface: needs.surface?.(surface) ?? surface,
    entriesOf: (runId) => store.entriesOfRun(runId),
    asked(callId) {
      const known = confirmations.ofCall(callId)
      return known && { ...known, entries: store.entriesOfRun(known.runId) }
    },
    sessionOf: (token) => sessions.of(token),
    isOffered(token, tool) {
      const agent = agents.find(sessions.agentOf(token))
      return agent !== undefined && isOffered(agent, tool)
    },
    waiting: (sessionId) => confirmations.pending(sessionId).length,
  })
}

/** The sessions of API tokens: each token has one session with each agent. */
class TokenSessions {
  readonly #parts: Pick<ComposedRuns, 'runs' | 'store'> & { agents: Pick<Agents, 'list'>; now(): number }

  constructor(parts: Pick<ComposedRuns, 'runs' | 'store'> & { agents: Pick<Agents, 'list'>; now(): number }) {
    this.#parts = parts
  }

  /** The agent in whose name a token's client calls. A binding may narrow a token, and never widens it. */
  agentOf(token: ApiToken): string {
    return chosenFor(this.#parts.agents.list(), { door: 'mcp', token: token.name })[0].agent
  }

  /**
   * Returns the id of a token's session, and creates the session if it does not exist. The id is derived from the token's name, so the session is
   * found again after a restart. If a session with that id belongs to another person, who had an earlier token of this name, the token gets a
   * separate session.
   */
  of(token: ApiToken): string {
    const { runs, store, now } = this.#parts
    const agent = this.agentOf(token)
    const usual = sessionIdOf(token.name, agent)
    const known = store.session(usual)
    const id = known === undefined || known.person === token.person ? usual : `${usual}@${token.person ?? firstOwnerId}`
    if (!runs.isRunning(id) && store.session(id) === undefined) {
      store.createSession({
        id,
        title: `MCP: ${token.name}`,
        source: 'mcp',
        agent,
        at: now(),
        ...personFor(token.person ?? ''),
      })
    }
    return id
  }
}

/** Agent ids contain no `_` and token names contain no `@`, so two different pairs never share an id. */
const sessionIdOf = (tokenName: string, agent: string) =>
  agent === mainAgentId ? `ses_mcp_${tokenName}` : `ses_mcp@${agent}_${tokenName}`
