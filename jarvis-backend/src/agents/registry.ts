import { JarvisError, mainAgentId } from 'protocol'
import { type Agent, type Agents, agentOf } from './agent.ts'

/** The agents of a list that may change. @param current `main` first; the same array until one changes */
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

/** Main alone, as without an `agents.yaml`. */
export function onlyMain(): Agents {
  const list: readonly Agent[] = [agentOf(mainAgentId, {})]
  return agentsIn(() => list)
}
