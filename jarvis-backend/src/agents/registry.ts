import { JarvisError, mainAgentId } from 'protocol'
import { type Agent, type Agents, agentOf } from './agent.ts'

/** Wraps a list of agents that may change. @param current returns the list with `main` first; the same array until an agent changes */
export function agentsIn(current: () => readonly Agent[]): Agents {
  const find = (id: string) => current().find((agent) => agent.id === id)
  return {
    list: current,
    find,
    require(id) {
      const agent = find(id)
      if (agent !== undefined) return agent
      const ids = current().map((known) => known.id)
      throw new JarvisError('unknown_agent', `There is no agent ${JSON.stringify(id)}. There are: ${ids.join(', ')}.`)
    },
  }
}

/** Returns a list that contains only `main`, as if there were no `agents.yaml`. */
export function onlyMain(): Agents {
  const list: readonly Agent[] = [agentOf(mainAgentId, {})]
  return agentsIn(() => list)
}
