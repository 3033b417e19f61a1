import {
  type AgentBody,
  type AgentMemory,
  type Ceiling,
  mainAgentId,
  type Principal,
  type Tier,
  tiers,
  type Verdict,
} from 'protocol'

/** A persona with narrowed rights. It may do what main may, or less. */
export type Agent = Omit<AgentBody, 'name' | 'about' | 'ceiling' | 'memory' | 'budget' | 'bindings'> & {
  /** Name of its folder below `agents/`; `main` has the workspace. */
  id: string
  name: string
  about: string
  /** Calls of a higher tier are refused. */
  ceiling: Ceiling
  memory: AgentMemory
  budget: NonNullable<AgentBody['budget']>
  bindings: NonNullable<AgentBody['bindings']>
}

/** The agents that there are now. */
export type Agents = {
  /** @returns undefined if there is no such agent, or no longer. Nothing may run in its name then. */
  find(id: string): Agent | undefined
  /** @throws JarvisError `unknown_agent` with the names of the present agents */
  require(id: string): Agent
  /** `main` first, then the order of the file. Returns the same array until an agent changes. */
  list(): readonly Agent[]
}

export const agentOf = (id: string, body: AgentBody): Agent => ({
  ...body,
  id,
  name: body.name ?? id,
  about: body.about ?? '',
  ceiling: body.ceiling ?? 'red',
  memory: body.memory ?? (id === mainAgentId ? 'shared' : 'own'),
  budget: body.budget ?? {},
  bindings: body.bindings ?? [],
})

/** The agent whose name a principal acts in. */
export const agentIdOf = ({ agent = mainAgentId }: Pick<Principal, 'agent'>): string => agent

/** The facts of a tool on which an agent's lists and memory decide. */
type ToolFacts = {
  name: string
  /** The tool reads or writes the memory. */
  remembers?: true
}

/** @returns true if the agent's lists and memory allow the tool. `deny` wins over `allow`. */
export function mayUse(
  { tools = {}, memory }: Pick<Agent, 'tools' | 'memory'>,
  { name, remembers }: ToolFacts,
): boolean {
  const { allow, deny = [] } = tools
  if (remembers && memory === 'none') return false
  if (deny.some((pattern) => fits(pattern, name))) return false
  return allow === undefined || allow.some((pattern) => fits(pattern, name))
}

/** @returns true if the agent's models are offered the tool. The gate refuses calls of all other tools too. */
export const isOffered = (agent: Agent, tool: ToolFacts & { tier: Tier }): boolean =>
  mayUse(agent, tool) && tiers.indexOf(tool.tier) <= tiers.indexOf(agent.ceiling)

/** @param pattern a tool's name, or the beginning of one followed by `*` */
export const fits = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern

/**
 * The refusal of a call above an agent's ceiling; undefined if the call is not above it. The tier is not lowered to the ceiling: a person who wants
 * the call makes it as main, or raises the ceiling.
 * @param baseTier the tool's own tier; it counts even if a profile or `allow` lets the tool's calls run unasked
 */
export function aboveCeiling(
  { id, ceiling }: Pick<Agent, 'id' | 'ceiling'>,
  { tier: judged, reason }: Verdict,
  baseTier: Tier,
): Verdict | undefined {
  const rank = (one: Tier) => tiers.indexOf(one)
  const tier = rank(baseTier) > rank(judged) ? baseTier : judged
  if (tier === 'black' || rank(tier) <= rank(ceiling)) return undefined
  return {
    tier: 'black',
    rule: 'agent_ceiling',
    reason: `The agent ${id} may go up to ${ceiling}, and this call is ${tier}: ${reason}`,
  }
}
