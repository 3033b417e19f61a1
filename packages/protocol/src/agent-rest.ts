import { z } from 'zod'
import { AgentBinding, AgentBody, AgentBudget, AgentId, AgentMemory, Ceiling } from './agent.ts'
import { Spending } from './budget.ts'
import { WorkspaceFile } from './memory.ts'
import { Verdict } from './tier.ts'
import { ToolInput } from './transcript.ts'

/** An agent in the list. `toolCount`: how many tools it is offered. `waiting`: how many of its cards and questions wait for a person. */
export const AgentInfo = z.object({
  ...AgentBody.shape,
  id: z.string(),
  name: z.string(),
  about: z.string(),
  ceiling: Ceiling,
  memory: AgentMemory,
  budget: AgentBudget,
  bindings: z.array(AgentBinding),
  toolCount: z.number(),
  waiting: z.number(),
  /** Since midnight. */
  usedToday: Spending,
  /** Why the agent cannot answer now. */
  problem: z.string().optional(),
})
export type AgentInfo = z.infer<typeof AgentInfo>

/**
 * `hash`: the hash of `agents.yaml`; absent: there is no such file. `problems`: faults of the file. While it has any, the earlier agents stay in
 * use.
 */
export const AgentsReply = z.object({
  items: z.array(AgentInfo),
  allTools: z.number(),
  hash: z.string().optional(),
  problems: z.array(z.string()),
  warnings: z.array(z.string()),
})
export type AgentsReply = z.infer<typeof AgentsReply>

/** `by`: the person who saved the file last through JARVIS; absent: not known. `isPrompt`: the file is part of every prompt. */
export const AgentFile = WorkspaceFile.extend({
  by: z.string().optional(),
  isPrompt: z.literal(true).optional(),
})
export type AgentFile = z.infer<typeof AgentFile>

/** An entry of the journal about something the agent did. Lists are newest first. `at`: Unix ms. */
export const AgentDeed = z.object({
  seq: z.number(),
  at: z.number(),
  kind: z.string(),
  toolName: z.string().optional(),
  target: z.string().optional(),
  outcome: z.string().optional(),
  reason: z.string().optional(),
  sessionId: z.string().optional(),
})
export type AgentDeed = z.infer<typeof AgentDeed>

/** `body`: the agent as it stands in `agents.yaml`. `offered`: names of the tools that it is offered. */
export const AgentDetail = AgentInfo.extend({
  body: AgentBody,
  offered: z.array(z.string()),
  files: z.array(AgentFile),
  lately: z.array(AgentDeed),
})
export type AgentDetail = z.infer<typeof AgentDetail>

/** `hash`: the hash of `agents.yaml` on which the change was made. */
export const AgentPutBody = z.strictObject({ agent: AgentBody, hash: z.string().max(100).optional() })
/** A file of an agent. `checksum`: as in a file of the memory. */
export const AgentFileBody = z.strictObject({ text: z.string().max(100_000), checksum: z.string().max(100).optional() })

/** Sends a message to one or two agents, each in a rehearsal of its own: reads run, changes are only described. */
export const AgentTryBody = z.strictObject({
  agents: z.array(AgentId).min(1).max(2),
  message: z.string().regex(/\S/, 'is empty').max(20_000),
})
export const AgentTryReply = z.object({
  items: z.array(z.object({ agent: z.string(), sessionId: z.string(), runId: z.string() })),
})
export type AgentTryReply = z.infer<typeof AgentTryReply>

export const AgentClassifyBody = z.strictObject({
  toolName: z.string().min(1).max(200),
  toolInput: ToolInput.default({}),
})
/** The verdicts on a call if the agent made it, and if `main` made it. */
export const AgentClassifyReply = z.object({ verdict: Verdict, main: Verdict })
export type AgentClassifyReply = z.infer<typeof AgentClassifyReply>

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
/**
 * An agent that would answer a message. `binding`, `number`: the binding that chooses it. In the reply, `others` are the agents that would answer if
 * this one did not exist.
 */
export const AgentChoice = z.object({
  agent: z.string(),
  binding: AgentBinding.optional(),
  number: z.number().optional(),
})
export type AgentChoice = z.infer<typeof AgentChoice>
export const AgentWhichReply = AgentChoice.extend({ others: z.array(AgentChoice) })
export type AgentWhichReply = z.infer<typeof AgentWhichReply>
