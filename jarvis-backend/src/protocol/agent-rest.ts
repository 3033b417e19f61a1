import { z } from 'zod'
import { type AgentBinding, AgentBody, AgentId, type AgentMemory, type Ceiling } from './agent.ts'
import type { Spending } from './budget.ts'
import type { WorkspaceFile } from './memory.ts'
import type { Verdict } from './tier.ts'
import { ToolInput } from './transcript.ts'

/** An agent of the list. `tools`: how many it is offered, of how many. `waiting`: cards of its calls. */
export type AgentInfo = Omit<AgentBody, 'name' | 'about' | 'ceiling' | 'memory' | 'budget' | 'bindings'> & {
  id: string
  name: string
  about: string
  ceiling: Ceiling
  memory: AgentMemory
  budget: NonNullable<AgentBody['budget']>
  bindings: AgentBinding[]
  toolCount: number
  waiting: number
  /** Since midnight. */
  usedToday: Spending
  /** Why it cannot answer now. */
  problem?: string
}

/** `hash`: of `agents.yaml`; absent: there is no file. `problems`: of the file, while the agents before stay. */
export type AgentsReply = {
  items: AgentInfo[]
  allTools: number
  hash?: string
  problems: string[]
  warnings: string[]
}

/** `by`: who saved it last here; absent: nobody is known to have. `isPrompt`: it is part of every prompt. */
export type AgentFile = WorkspaceFile & { by?: string; isPrompt?: true }

/** Something it did, from the journal, newest first. `at`: Unix ms. */
export type AgentDeed = {
  seq: number
  at: number
  kind: string
  toolName?: string
  target?: string
  outcome?: string
  reason?: string
  sessionId?: string
}

/** `yaml`: the agent as it stands in the file. `offered`: names of its tools. */
export type AgentDetail = AgentInfo & { body: AgentBody; offered: string[]; files: AgentFile[]; lately: AgentDeed[] }

/** `hash`: of the file that the change was made on. */
export const AgentPutBody = z.strictObject({ agent: AgentBody, hash: z.string().max(100).optional() })
/** The same as with a file of the memory. */
export const AgentFileBody = z.strictObject({ text: z.string().max(100_000), checksum: z.string().max(100).optional() })

/** Says something to one or two agents, each in a rehearsal of its own: reads run, changes are described. */
export const AgentTryBody = z.strictObject({
  agents: z.array(AgentId).min(1).max(2),
  message: z.string().regex(/\S/, 'is empty').max(20_000),
})
export type AgentTryReply = { items: { agent: string; sessionId: string; runId: string }[] }

export const AgentClassifyBody = z.strictObject({
  toolName: z.string().min(1).max(200),
  toolInput: ToolInput.default({}),
})
/** What would happen with a call of the agent's, and with main's. */
export type AgentClassifyReply = { verdict: Verdict; main: Verdict }

const word = z.string().max(200).optional()
export const AgentWhichQuery = z.strictObject({
  door: z.enum(['dashboard', 'mcp', 'job', 'channel', 'v1']).default('dashboard'),
  person: word,
  token: word,
  job: word,
  channel: word,
  account: word,
  chat: word,
})
/** The agent that would answer, and by which of its bindings; then those that would if it were not there. */
export type AgentChoice = { agent: string; binding?: AgentBinding; number?: number }
export type AgentWhichReply = AgentChoice & { others: AgentChoice[] }
