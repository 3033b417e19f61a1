import { type AgentDeed, mainAgentId } from 'protocol'
import { SqliteStore } from './sqlite-store.ts'

/** The number of newest journal entries that are searched. */
const lookedThrough = 20_000
const mostDeeds = 12

type Body = {
  toolName?: string
  target?: { name?: string; vmid?: number; id: string }
  outcome?: string
  summary?: string
  rule?: string
  decision?: string
  sessionId?: string
}

/** The calls of agents, from the journal. */
export class AgentDeeds extends SqliteStore {
  readonly #select = this.sql.prepare<[object], { seq: number; at: number; kind: string; body: string }>(
    `SELECT seq, at, kind, body FROM journal
     WHERE seq > (SELECT COALESCE(MAX(seq), 0) FROM journal) - @back AND kind IN ('call', 'result', 'refusal', 'decision')
       AND body ->> '$.requestedBy.kind' IS NOT NULL AND COALESCE(body ->> '$.requestedBy.agent', '${mainAgentId}') = @agent
     ORDER BY seq DESC LIMIT @limit`,
  )

  /**
   * Lists calls that an agent made, and calls that were refused to it, from the journal's newest entries, newest first. Blocks for about 10 ms if
   * there are none.
   */
  of(agent: string): AgentDeed[] {
    return this.#select.all({ agent, back: lookedThrough, limit: mostDeeds }).map(({ seq, at, kind, body }) => {
      const { toolName, target, outcome, summary, rule, decision, sessionId } = JSON.parse(body) as Body
      const on = target && (target.vmid === undefined ? target.id : `${target.vmid} ${target.name ?? ''}`.trim())
      const reason = summary ?? decision ?? rule
      return {
        seq,
        at,
        kind,
        toolName,
        target: on,
        outcome,
        reason,
        sessionId,
      }
    })
  }
}
