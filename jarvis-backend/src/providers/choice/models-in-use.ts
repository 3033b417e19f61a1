import { isDeepStrictEqual } from 'node:util'
import { JarvisError, type ModelFallback } from 'protocol'
import type { Model, ModelChoice } from '../../agent/model.ts'
import { demo, idOf, type ModelConfig } from '../../config/model.ts'
import { mayFollow } from '../../doctor/fallbacks.ts'

type ModelsInUseParts = {
  configs: readonly ModelConfig[]
  fallbacks: readonly ModelFallback[]
  /** For tests: replaces the configured models. */
  first: Model | undefined
  others: readonly Model[] | undefined
  make(config: ModelConfig): Model
}

/** The configured models: the model in use, the others that a person may choose, and the fallbacks. */
export class ModelsInUse implements ModelChoice {
  readonly #make: (config: ModelConfig) => Model
  #configs: readonly [first: ModelConfig, ...others: ModelConfig[]]
  #fallbacks: readonly ModelFallback[]
  #first: Model
  #others: ReadonlyMap<string, Model>

  constructor({ configs: [config = demo, ...others], fallbacks, make, ...replaced }: ModelsInUseParts) {
    this.#make = make
    this.#configs = [config, ...others]
    this.#fallbacks = fallbacks
    this.#first = replaced.first ?? make(config)
    this.#others =
      replaced.others === undefined
        ? this.#made(others)
        : new Map(replaced.others.map((other) => [other.id, other] as const))
  }

  set([config = demo, ...others]: readonly ModelConfig[], fallbacks: readonly ModelFallback[]): void {
    this.#configs = [config, ...others]
    this.#fallbacks = fallbacks
    this.#first = this.#make(config)
    this.#others = this.#made(others)
  }

  areAs(configs: readonly ModelConfig[], fallbacks: readonly ModelFallback[]): boolean {
    return isDeepStrictEqual([configs, fallbacks], [this.#configs, this.#fallbacks])
  }

  current(): Model {
    return this.#first
  }

  named(id: string): Model | undefined {
    return id === this.#first.id ? this.#first : this.#others.get(id)
  }

  ids(): string[] {
    return [this.#first.id, ...this.#others.keys()]
  }

  require(id: string): void {
    if (this.named(id) !== undefined) return
    throw new JarvisError('invalid_request', `model: ${id} is not configured. There are: ${this.ids().join(', ')}.`)
  }

  /** The settings of the model in use. */
  config(): ModelConfig {
    return this.#configs[0]
  }

  /** The settings of all models; those of the model in use come first. */
  configs(): readonly ModelConfig[] {
    return this.#configs
  }

  /** Returns the settings of a configured model; undefined for a model that a test provides. */
  configOf(id: string): ModelConfig | undefined {
    return this.#configs.find((known) => idOf(known) === id)
  }

  /** Returns the fallbacks of a model in order: configured models that answer if this one fails, and that may read its conversation. */
  fallbacksOf({ id }: Model): Model[] {
    const from = this.configOf(id)
    const written = this.#fallbacks.find((known) => known.model === id)
    if (from === undefined || written === undefined) return []
    return written.then.flatMap((next) => {
      const to = this.configOf(next)
      const found = to !== undefined && mayFollow(from, to, written.consented) ? this.named(next) : undefined
      return found === undefined ? [] : [found]
    })
  }

  /**
   * Checks a model that an API client named. Refuses a model that is not configured, and any model but the agent's own if the agent has one.
   * Otherwise also refuses a cloud model if the model in use may be local and no owner consented to send its conversations to that cloud model.
   * @throws JarvisError `invalid_request`
   */
  requireForProgram(ofAgent: string | undefined, named: string): void {
    this.require(named)
    if (ofAgent !== undefined && ofAgent !== named)
      throw new JarvisError('invalid_request', `model: its agent answers with ${ofAgent} alone. Leave it out.`)
    const own = this.config()
    const to = this.configOf(named)
    const consented = this.#fallbacks.find((known) => known.model === idOf(own))?.consented
    const isOther = ofAgent === undefined && named !== this.#first.id && to !== undefined
    if (isOther && to.kind !== 'demo' && !mayFollow(own, to, consented))
      throw new JarvisError(
        'invalid_request',
        `model: ${idOf(own)} may run at home, and ${named} is elsewhere. A program cannot choose that; in the dashboard you can.`,
      )
  }

  #made(configs: readonly ModelConfig[]): Map<string, Model> {
    return new Map(configs.map((config) => [idOf(config), this.#make(config)]))
  }
}
