import { type AgentBinding, mainAgentId } from 'protocol'
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
