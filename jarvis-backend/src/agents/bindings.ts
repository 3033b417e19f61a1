import { nearestName } from 'node-kit/nearest'
import { type AgentBinding, JarvisError, mainAgentId } from 'protocol'
import type { Agent } from './agent.ts'

/** The origin of a message, in the fields that bindings compare. */
export type Arrival = Pick<AgentBinding, 'door'> & { [K in Exclude<keyof AgentBinding, 'door'>]?: string | undefined }

/** An agent, and the binding that chose it. `number`: the binding’s position in its agent’s list, from 1. */
export type Chosen = { agent: string; binding?: AgentBinding; number?: number }

/** The weight of each field of a binding: a chat outweighs a person, and a person outweighs a channel. */
const weights: Record<keyof AgentBinding, number> = {
  chat: 32,
  person: 16,
  token: 8,
  job: 8,
  account: 4,
  channel: 2,
  door: 1,
}
const fields = Object.keys(weights) as (keyof AgentBinding)[]

const matches = (binding: AgentBinding, arrival: Arrival) =>
  fields.every((field) => {
    const wanted = binding[field]
    return wanted === undefined || wanted === arrival[field] || (field === 'account' && wanted === '*')
  })
const weightOf = (binding: AgentBinding) =>
  fields.reduce((sum, field) => {
    const isSaid = binding[field] !== undefined && binding[field] !== '*'
    return isSaid ? sum + weights[field] : sum
  }, 0)

/**
 * Returns the agents whose bindings match, ordered by the weight of the binding, highest first; bindings of the same weight in the order of the
 * file; `main` last. The first agent answers. A binding grants no access: the interface has already decided whether the sender is admitted.
 */
export function chosenFor(agents: readonly Agent[], arrival: Arrival): [Chosen, ...Chosen[]] {
  const fitting = agents
    .flatMap(({ id, bindings }) => bindings.map((binding, at) => ({ agent: id, binding, number: at + 1 })))
    .filter(({ binding }) => matches(binding, arrival))
    .toSorted((one, other) => weightOf(other.binding) - weightOf(one.binding))
  const [first, ...others] = fitting
  const last = { agent: mainAgentId }
  return first === undefined ? [last] : [first, ...others, last]
}

/**
 * Returns the ids of the agents that a program's token may ask, the default agent first. Bindings of the door `v1` limit a token to the agents that they
 * name.
 */
export function agentsOpenTo(agents: readonly Agent[], token: string): string[] {
  const bound = chosenFor(agents, { door: 'v1', token }).flatMap(({ agent, binding }) => (binding ? agent : []))
  return bound.length > 0 ? [...new Set(bound)] : agents.map(({ id }) => id)
}

/**
 * Requires that a token may ask the agent that its program names. @throws JarvisError `forbidden` if it may not; `unknown_agent` with the nearest name,
 * among the agents that are open to the token
 */
export function requireOpenTo(agents: readonly Agent[], token: string, id: string): void {
  const open = agentsOpenTo(agents, token)
  if (open.includes(id)) return
  if (agents.some((agent) => agent.id === id))
    throw new JarvisError('forbidden', `The token ${token} may not ask the agent ${id}: its bindings name others.`)
  const nearest = nearestName(id, open)
  const meant = nearest === undefined ? '' : ` The nearest is ${nearest}.`
  throw new JarvisError(
    'unknown_agent',
    `There is no agent ${JSON.stringify(id)}.${meant} There are: ${open.join(', ')}.`,
  )
}
