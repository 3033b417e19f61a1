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

/** A persona with limited rights. It has at most the rights of `main`. */
export type Agent = Omit<AgentBody, 'name' | 'about' | 'ceiling' | 'memory' | 'budget' | 'bindings'> & {
  /** The agent’s id, and the name of its folder below `agents/`; `main` has the workspace instead. */
  id: string
  name: string
  about: string
  /** The highest tier that the agent may use. Calls of a higher tier are refused. */
  ceiling: Ceiling
  memory: AgentMemory
  budget: NonNullable<AgentBody['budget']>
  bindings: NonNullable<AgentBody['bindings']>
}

/** The agents that exist now. */
export type Agents = {
  /** Finds an agent. @returns undefined if it does not exist, or not any more. Then nothing may run in its name. */
  find(id: string): Agent | undefined
  /** @throws JarvisError `unknown_agent` with the names of the present agents */
  require(id: string): Agent
  /** Returns `main`, then the other agents in the order of the file. The array stays the same until an agent changes. */
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

/** Returns the id of the agent in whose name a principal acts. */
export const agentIdOf = ({ agent = mainAgentId }: Pick<Principal, 'agent'>): string => agent

/** The facts about a tool that decide if an agent may use it. */
type ToolFacts = {
  name: string
  /** The tool reads or writes the memory. */
  remembers?: true
  /** The tool reads on in results that the agent's model was given and that were cut. */
  rereads?: unknown
}

/** @returns true if the agent’s tool lists and memory setting allow the tool. `deny` takes precedence over `allow`. What reads on in a cut result needs no `allow`. */
export function mayUse(
  { tools = {}, memory }: Pick<Agent, 'tools' | 'memory'>,
  { name, remembers, rereads }: ToolFacts,
): boolean {
  const { allow, deny = [] } = tools
  if (remembers && memory === 'none') return false
  if (deny.some((pattern) => fits(pattern, name))) return false
  return allow === undefined || rereads !== undefined || allow.some((pattern) => fits(pattern, name))
}

/** @returns true if the agent's models are offered the tool. The gate refuses calls of all other tools too. */
export const isOffered = (agent: Agent, tool: ToolFacts & { tier: Tier }): boolean =>
  mayUse(agent, tool) && tiers.indexOf(tool.tier) <= tiers.indexOf(agent.ceiling)

/** @param pattern a tool's name, or the beginning of one followed by `*` */
export const fits = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern

/**
 * Returns the refusal of a call above an agent’s ceiling; undefined if the call is not above it. The call is refused and not lowered to the ceiling:
 * a person who wants it makes it as `main`, or raises the ceiling.
 * @param baseTier the tool’s own tier; it counts even if a profile or `allow` lets calls of the tool run without asking
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
