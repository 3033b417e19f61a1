import { ApiError, badField } from 'openai-door/errors'
import { requireModel } from 'openai-door/models'
import { JarvisError, mainAgentId } from 'protocol'
import type { Agent } from '../agents/agent.ts'
import { agentsOpenTo, requireOpenTo } from '../agents/bindings.ts'

/** The model name of the default agent; `jarvis/NAME` is another agent. */
const own = 'jarvis'
/** The name of a model without tools or session, for the titles and tags that clients generate. */
export const plainModel = `${own}/plain`

/** The meaning of a model's name. `agent`: undefined for the plain model. `model`: `provider/model`; undefined: the agent's own, or the one in use. */
export type Named = { name: string; agent?: string; model?: string }

const nameOf = (agent: string) => (agent === mainAgentId ? own : `${own}/${agent}`)

/** Returns the agents of a token, as models, and the plain model. */
export function modelsOf(agents: readonly Agent[], token: string): Named[] {
  const open = agentsOpenTo(agents, token)
  const others = agents.filter(({ id }) => id !== mainAgentId && open.includes(id))
  return [
    { name: own, agent: open[0] ?? mainAgentId },
    ...others.map(({ id }) => ({ name: nameOf(id), agent: id })).filter(({ name }) => name !== plainModel),
    { name: plainModel },
  ]
}

/** The configured models. */
interface Configured {
  ids(): string[]
  /**
   * Checks a model that a program named. @param ofAgent the agent's own model @throws JarvisError `invalid_request` if the program may not choose it
   */
  requireForProgram(ofAgent: string | undefined, named: string): void
}

/** The names that a program may send as `model`, and the agents that it may name in the header `Jarvis-Agent`. */
export class ProgramModels {
  readonly #agents: { list(): readonly Agent[] }
  readonly #models: Configured

  constructor(agents: { list(): readonly Agent[] }, models: Configured) {
    this.#agents = agents
    this.#models = models
  }

  /** Returns the models of a token: its agents, the plain model, and the models of providers with which its agent may answer. */
  list(token: string): Named[] {
    const agents = modelsOf(this.#agents.list(), token)
    const [{ agent } = { agent: mainAgentId }] = agents
    const served = this.#served().filter((id) => !agents.some(({ name }) => name === id) && this.#may(agent, id))
    return [...agents, ...served.map((id) => ({ name: id, agent, model: id }))]
  }

  /**
   * Returns the agent and the model that answer a request. @param header the agent that the header `Jarvis-Agent` names
   * @throws ApiError 400 for an unknown agent, two agents, or a name of several models; 403 for an agent that is closed to the token; 404
   * `model_not_found`. JarvisError `invalid_request` for a model that the program may not choose
   */
  require(token: string, wanted: string, header: string | undefined): Named {
    const agents = modelsOf(this.#agents.list(), token)
    const named = agents.find(({ name }) => name === wanted)
    const asked = header === undefined ? undefined : this.#agentNamed(token, header)
    if (named !== undefined) {
      if (asked === undefined) return named
      if (wanted === own || named.agent === asked.agent) return asked
      throw badField('Jarvis-Agent', `Jarvis-Agent names ${header}, and model names ${wanted}. Send model: ${own}.`)
    }
    const agent = (asked ?? agents[0])?.agent ?? mainAgentId
    const model = this.#modelNamed(wanted)
    if (model === undefined) return requireModel(this.list(token), wanted)
    this.#models.requireForProgram(this.#ownModel(agent), model)
    return { name: model, agent, model }
  }

  /** @throws ApiError 400, 403 */
  #agentNamed(token: string, id: string): Named {
    try {
      requireOpenTo(this.#agents.list(), token, id)
    } catch (error) {
      if (!(error instanceof JarvisError)) throw error
      const status = error.code === 'forbidden' ? 403 : 400
      throw new ApiError(error.code, error.message, { status, param: 'Jarvis-Agent', cause: error })
    }
    return { name: nameOf(id), agent: id }
  }

  /** Returns the id of the provider's model with this name, with or without the provider. @throws ApiError 400 if several providers have it */
  #modelNamed(name: string): string | undefined {
    const ids = this.#served()
    if (ids.includes(name)) return name
    const fitting = ids.filter((id) => id.slice(id.indexOf('/') + 1) === name)
    if (fitting.length < 2) return fitting[0]
    throw badField('model', `Several providers have ${JSON.stringify(name)}. Name one of: ${fitting.join(', ')}.`)
  }

  #served(): string[] {
    return this.#models.ids().filter((id) => id.includes('/'))
  }

  #ownModel(agent: string | undefined): string | undefined {
    return this.#agents.list().find(({ id }) => id === agent)?.model
  }

  #may(agent: string | undefined, model: string): boolean {
    try {
      this.#models.requireForProgram(this.#ownModel(agent), model)
      return true
    } catch (error) {
      if (error instanceof JarvisError) return false
      throw error
    }
  }
}
