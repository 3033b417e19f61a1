import { z } from 'zod'
import { BudgetLimits } from './budget.ts'
import { Effort } from './models.ts'

const keyed = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys'
        ? `is not known here. Known: ${Object.keys(shape).join(', ')}`
        : 'must be keys and values',
  })

/** An agent's id. It is the name of the agent's folder, and people write it after `@` to address the agent. */
export const AgentId = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,23}$/, 'is at most 24 lower-case letters, digits and -, a letter first')

/** The id of the agent that always exists: the persona of the workspace. */
export const mainAgentId = 'main'

/** The highest tier that an agent's calls may have. */
export const Ceiling = z.enum(['green', 'yellow', 'red'], 'is green, yellow or red')
export type Ceiling = z.infer<typeof Ceiling>

/**
 * The memory of an agent. `own`: it uses only its own notes and conversations. `shared`: it uses main's memory. `none`: it recalls nothing and
 * writes no notes.
 */
export const AgentMemory = z.enum(['own', 'shared', 'none'], 'is own, shared or none')
export type AgentMemory = z.infer<typeof AgentMemory>

const word = z.string('is text').min(1, 'is empty').max(200, 'is at most 200 characters')

/**
 * Messages that an agent answers. All given fields must fit. A binding gives nobody access. `door`: the door through which the message comes.
 * `person`: the person who is signed in. `token`: the name of a program's token. `job`: the name of a job. `channel`: a channel such as `telegram`.
 * `account`: an account of the channel; `*` means any.
 */
export const AgentBinding = keyed({
  door: z.enum(['dashboard', 'mcp', 'job', 'channel', 'v1'], 'is dashboard, mcp, job, channel or v1'),
  person: word.optional(),
  token: word.optional(),
  job: word.optional(),
  channel: word.optional(),
  account: word.optional(),
  chat: word.optional(),
})
export type AgentBinding = z.infer<typeof AgentBinding>

const patterns = z.array(
  z.string('is text').regex(/^[\w.*-]{1,128}$/, 'is the name of a tool, or its beginning and *'),
  'is a list of tools',
)

export const AgentBudget = BudgetLimits.extend({ run: BudgetLimits.optional() })

/** An agent as it stands in `agents.yaml`. Its settings can only narrow main's rights. */
export const AgentBody = keyed({
  name: z.string('is text').regex(/\S/, 'is empty').max(60, 'is at most 60 characters').optional(),
  about: z.string('is text').max(300, 'is at most 300 characters').optional(),
  /** `provider/model`; absent: the model in use. */
  model: word.optional(),
  effort: Effort.optional(),
  temperature: z.number('is a number').min(0, 'is 0 to 2').max(2, 'is 0 to 2').optional(),
  /** Most tokens of one reply, thinking included; absent: as its model has it. */
  maxTokens: z.int('is a whole number').min(256, 'is 256 or more').max(1_000_000, 'is at most 1000000').optional(),
  /** Names of tools; absent: all tools. `deny` takes precedence. `get_*` stands for all names that begin with `get_`. */
  tools: z.strictObject({ allow: patterns.optional(), deny: patterns.optional() }).optional(),
  /** Skills of the workspace that the agent may load; absent: all. It may always load the skills in its own folder. */
  skills: z
    .array(
      z.string('is text').regex(/^[a-z0-9*-]{1,64}$/, 'is the name of a skill, or its beginning and *'),
      'is a list of skills',
    )
    .optional(),
  ceiling: Ceiling.optional(),
  memory: AgentMemory.optional(),
  /** Limits of all runs of the agent together, from midnight to midnight. `run`: limits of each run. */
  budget: AgentBudget.optional(),
  bindings: z.array(AgentBinding, 'is a list').max(50, 'is at most 50').optional(),
})
export type AgentBody = z.infer<typeof AgentBody>
