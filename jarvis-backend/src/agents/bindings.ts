import { type AgentBinding, mainAgentId } from 'protocol'
import type { Agent } from './agent.ts'

/** Where a message comes from, as bindings see it. */
export type Arrival = Pick<AgentBinding, 'door'> & { [K in Exclude<keyof AgentBinding, 'door'>]?: string | undefined }

/** An agent, and the binding that chose it. `number`: the binding's place in its agent's list, from 1. */
export type Chosen = { agent: string; binding?: AgentBinding; number?: number }

/** How much each field of a binding counts: a chat more than a person, a person more than the channel. */
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
 * The agents whose bindings fit, the binding with the most weight first, equal ones in the order of the file, main last. The first agent answers.
 * A binding admits nobody: the door has decided before who may come in.
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
