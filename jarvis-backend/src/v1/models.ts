import { mainAgentId } from 'protocol'
import type { Agent } from '../agents/agent.ts'
import { chosenFor } from '../agents/bindings.ts'

/** The model name of the default agent; `jarvis/NAME` is another agent. */
const own = 'jarvis'
/** The name of a model without tools or session, for the titles and tags that clients generate. */
export const plainModel = `${own}/plain`

/** The agent that a model's name stands for; `agent` is undefined for the plain model. */
export type Named = { name: string; agent: string } | { name: string; agent?: undefined }

/** Returns the models of a token: its agents and the plain model. Bindings of the door `v1` limit a token to the agents that they name. */
export function modelsOf(agents: readonly Agent[], token: string): Named[] {
  const fitting = chosenFor(agents, { door: 'v1', token }).flatMap(({ agent, binding }) => (binding ? agent : []))
  const [first = mainAgentId] = fitting
  const others = agents.filter(({ id }) => id !== mainAgentId && (fitting.length === 0 || fitting.includes(id)))
  return [
    { name: own, agent: first },
    ...others.map(({ id }) => ({ name: `${own}/${id}`, agent: id })).filter(({ name }) => name !== plainModel),
    { name: plainModel },
  ]
}
