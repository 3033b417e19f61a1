import { mainAgentId } from 'protocol'
import type { Agent } from '../agents/agent.ts'
import { chosenFor } from '../agents/bindings.ts'
import { ApiError } from './errors.ts'

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

/** Returns the model with this name. @throws ApiError 404 `model_not_found` with the names of the available models */
export function requireModel(models: readonly Named[], wanted: string): Named {
  const found = models.find(({ name }) => name === wanted)
  if (found !== undefined) return found
  const names = models.map(({ name }) => name).join(', ')
  const message = `There is no model ${JSON.stringify(wanted)} for this token. There are: ${names}.`
  throw new ApiError(404, 'model_not_found', message, { param: 'model' })
}

/** @param created start time of JARVIS, Unix s, because the time at which an agent was created is not known */
export const modelEntry = ({ name }: Named, created: number) => ({ id: name, object: 'model', created, owned_by: own })

export const modelList = (models: readonly Named[], created: number) => ({
  object: 'list',
  data: models.map((model) => modelEntry(model, created)),
})
