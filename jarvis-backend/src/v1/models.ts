import { mainAgentId } from 'protocol'
import type { Agent } from '../agents/agent.ts'
import { chosenFor } from '../agents/bindings.ts'
import { ApiError } from './errors.ts'

/** The name of the agent that answers where none is named; `jarvis/NAME` is another one. */
const own = 'jarvis'
/** A model without tools or session, for clients' titles and tags. */
export const plainModel = `${own}/plain`

/** Whom a model's name stands for. */
export type Named = { name: string; agent: string } | { name: string; agent?: undefined }

/** The models of a token, by name: its agents, and the plain one. Bindings of the door `v1` narrow a token to the agents that they name. */
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

/** @throws ApiError 404 `model_not_found` naming those there are */
export function requireModel(models: readonly Named[], wanted: string): Named {
  const found = models.find(({ name }) => name === wanted)
  if (found !== undefined) return found
  const names = models.map(({ name }) => name).join(', ')
  const message = `There is no model ${JSON.stringify(wanted)} for this token. There are: ${names}.`
  throw new ApiError(404, 'model_not_found', message, { param: 'model' })
}

/** @param created Unix s: since when they are served, for nobody knows when an agent was made */
export const modelEntry = ({ name }: Named, created: number) => ({ id: name, object: 'model', created, owned_by: own })

export const modelList = (models: readonly Named[], created: number) => ({
  object: 'list',
  data: models.map((model) => modelEntry(model, created)),
})
