import { join } from 'node:path'
import type { ClusterState, ModelFacts, ModelFallback } from 'protocol'
import type { Model, ModelChoice, Turn } from '../../agent/model.ts'
import type { RunModels } from '../../agent/ports.ts'
import type { CostOf } from '../../agent/spent.ts'
import { createTally, type ModelTally } from '../../agent/tally.ts'
import type { Config } from '../../config/config.ts'
import { idOf, type ModelConfig } from '../../config/model.ts'
import { cutWords, largerWindow } from '../../doctor/context-checks.ts'
import { leftOutWords } from '../../doctor/left-out.ts'
import { ModelSetup } from '../../doctor/model-setup.ts'
import type { ModelSeen, PartsSeen } from '../../http/status-parts.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Embedder } from '../../memory/ports.ts'
import { localEmbedder } from '../embeddings/local.ts'
import { KeptFacts, pricedAsAmong, withPrice } from '../facts/kept-facts.ts'
import { createPrices, demoModel, isAtHome, secretsOfKey, servedModel, windowOf } from '../index.ts'
import type { LeftOut } from '../learned.ts'
import { type KeptTexts, LearnedStore } from '../learned-store.ts'
import type { Prices } from '../prices.ts'
import { ModelsInUse } from './models-in-use.ts'

/** Tokens for thinking at the usual effort, in addition to the tokens of the answer. */
const tokensForThinking = 8_192
/** Assumed length of an answer if the model's settings set none, tokens. */
const usualAnswer = 8_192

type Cut = NonNullable<Turn['cut']>

/** The models as other rooms use them. `costOf` and `used` may be passed on without their object. */
export interface ComposedModels extends RunModels {
  readonly choice: ModelChoice
  readonly costOf: CostOf
  readonly used: RunModels['used']
  /**
   * True if a model may be asked for session titles. With the setting `auto`, only configured models outside the local network may be asked, because
   * each call to a local model is slow.
   */
  mayName(asked: Model): boolean
  /**
   * Checks a model that an API client named. Refuses a model that is not configured, and any model but the agent's own if the agent has one.
   * Otherwise also refuses a cloud model if the model in use may be local and no owner consented to send its conversations to that cloud model.
   * @throws JarvisError `invalid_request`
   */
  requireForProgram(ofAgent: string | undefined, named: string): void
  /** The model in use. */
  model(): Model
  /** The settings of the model in use. */
  config(): ModelConfig
  /** Times of the last answer and the last failure of the model in use. */
  seen(): PartsSeen['model']
  /** Tokens and cost of each model since the start. */
  tallies(): readonly ModelTally[]
  /** The newest request of each model that its server cut. */
  cuts(): [id: string, cut: Cut][]
  /** Each model that wrote calls as text, with the tools of its newest such answer. */
  written(): [id: string, toolNames: readonly string[]][]
  /** The tools that are left out of requests, each with the model's id. */
  leftOut(): [id: string, left: LeftOut][]
}

export type ModelsParts = {
  config: Config
  /** For tests: replaces the configured model. */
  first: Model | undefined
  /** For tests: further models that may be named. */
  others: readonly Model[] | undefined
  clock: Clock
  settings: KeptTexts
  cluster(): ClusterState
  redact(text: string): string
  /** Called when the models, their facts or their order changed. */
  changed(): void
  announce(problem: string): void
  /** Makes the redactor remove this secret from now on. */
  hide(secret: string): void
}

/** The models of a site: the choice among them, their facts and prices, and the faults that were seen. */
export class Models implements ComposedModels {
  readonly choice: ModelsInUse
  readonly costOf: CostOf
  readonly used: RunModels['used']
  readonly tallies: () => readonly ModelTally[]
  /** Changes to the models that a person makes in the settings. */
  readonly setup: ModelSetup
  readonly #parts: ModelsParts
  readonly #facts: KeptFacts
  readonly #refusals: LearnedStore
  readonly #prices: Prices
  /** The problem that the last `look` found; each problem is announced once. */
  #problem: string | undefined
  #seen: ModelSeen = {}
  readonly #cuts = new Map<string, Cut>()
  readonly #written = new Map<string, readonly string[]>()
  /** Context windows that servers named in refusals, tokens, by model. */
  readonly #windows = new Map<string, number>()

  constructor(parts: ModelsParts) {
    const { config, clock, settings, redact } = parts
    this.#parts = parts
    this.#facts = new KeptFacts(parts)
    this.#refusals = new LearnedStore({
      settings,
      clock,
      redact,
      leftOut: (id, left) => parts.announce(leftOutWords(id, left)),
    })
    this.#hide(config.models)
    this.choice = new ModelsInUse({
      configs: config.models,
      fallbacks: config.fallbacks,
      first: parts.first,
      others: parts.others,
      make: (config) => this.#modelOf(config),
    })
    this.setup = new ModelSetup({
      config,
      clock,
      apply: (models, fallbacks) => this.#apply(models, fallbacks),
      factsOf: (model) => this.#shownFacts(model),
      forget: (places) => this.#refusals.forget(places),
      leftOut: (provider) =>
        this.#refusals
          .leftOut(this.choice.configs().filter((one) => one.provider === provider))
          .map(([, left]) => left),
    })
    for (const lost of [...config.settingsProblems, ...config.modelProblems]) parts.announce(redact(lost))
    this.#prices = createPrices(join(config.dataDir, 'prices.json'), {
      pricedAs: (id) => pricedAsAmong(this.choice.configs(), id),
      listed: (id) => this.#served(id)?.price,
      announce: parts.announce,
    })
    this.costOf = this.#prices.costOf
    const tally = createTally(this.costOf)
    this.used = tally.add
    this.tallies = tally.read
  }

  /** Reads the files of the data dir again, after another program or a person changed them. If they cannot be used, the present settings stay. */
  look(): void {
    this.#prices.reload()
    try {
      const next = this.setup.look()
      this.#problem = undefined
      if (!this.choice.areAs(next.models, next.fallbacks)) this.#apply(next.models, next.fallbacks)
    } catch (error) {
      const found = `The models stay as they are: ${this.#parts.redact((error as Error).message)}`
      if (found !== this.#problem) this.#parts.announce(found)
      this.#problem = found
    }
  }

  model(): Model {
    return this.choice.current()
  }

  config(): ModelConfig {
    return this.choice.config()
  }

  fallbacksOf(model: Model): Model[] {
    return this.choice.fallbacksOf(model)
  }

  requireForProgram(ofAgent: string | undefined, named: string): void {
    this.choice.requireForProgram(ofAgent, named)
  }

  mayName(asked: Model): boolean {
    const { config, first, others } = this.#parts
    if (config.titles !== 'auto') return config.titles === 'on'
    if (asked === first || (others?.includes(asked) ?? false)) return false
    const own = this.choice.configOf(asked.id)
    return own !== undefined && (own.kind === 'demo' || !isAtHome(own))
  }

  windowOf({ id }: Model) {
    const own = this.choice.configOf(id)
    const longest = own?.kind === 'demo' ? undefined : own?.maxTokens
    const answer = longest === undefined ? usualAnswer : longest + tokensForThinking
    const limits = [this.#windows.get(id), this.#served(id)?.windowTokens, this.#parts.config.contextTokens]
    const known = limits.filter((tokens) => tokens !== undefined)
    return windowOf(id, answer, known.length === 0 ? undefined : Math.min(...known))
  }

  learnWindow({ id }: Model, tokens: number): void {
    this.#windows.set(id, tokens)
  }

  learnTalksOnly({ id }: Model): void {
    const own = this.choice.configOf(id)
    if (own !== undefined) this.#refusals.learnTalksOnly(own)
    this.#parts.changed()
  }

  /** Returns the facts of a model after asking its server. A model that a test provides has no facts, so requests to it contain everything. */
  async factsOf({ id }: Model): Promise<ModelFacts> {
    const own = this.choice.configOf(id)
    if (own === undefined) return {}
    await this.#facts.learn(own)
    return this.#known(own)
  }

  cutOff({ id }: Model, cut: Cut): string | undefined {
    const isKnown = this.#cuts.has(id)
    this.#cuts.set(id, cut)
    if (isKnown) return undefined
    const message = `${cutWords(id, cut)} ${largerWindow}`
    this.#parts.announce(message)
    return message
  }

  cuts(): [string, Cut][] {
    return [...this.#cuts]
  }

  leftOutNow({ id }: Model): string | undefined {
    const left = this.#refusals.newly(id)
    return left.length === 0 ? undefined : left.map((one) => leftOutWords(id, one)).join(' ')
  }

  leftOut(): [string, LeftOut][] {
    return this.#refusals.leftOut(this.choice.configs())
  }

  wrote({ id }: Model, toolNames: readonly string[]): void {
    this.#written.set(id, toolNames)
  }

  written(): [string, readonly string[]][] {
    return [...this.#written]
  }

  seen() {
    return { id: this.model().id, isDemo: this.config().kind === 'demo', seen: this.#seen }
  }

  /** Notes that the model in use answered. A model that was replaced meanwhile is ignored. */
  answered(by: Model): void {
    if (by === this.model()) this.#seen.okAt = this.#parts.clock.now()
  }

  failed(by: Model, error: unknown): void {
    if (by !== this.model()) return
    this.#seen.failedAt = this.#parts.clock.now()
    this.#seen.problem = this.#parts.redact(error instanceof Error ? error.message : String(error))
  }

  #apply(next: readonly ModelConfig[], fallbacks: readonly ModelFallback[]): void {
    this.#hide(next)
    this.choice.set(next, fallbacks)
    this.#seen = {}
    this.#cuts.clear()
    this.#written.clear()
    this.#windows.clear()
    this.#parts.changed()
  }

  #hide(models: readonly ModelConfig[]): void {
    for (const model of models) {
      if (model.kind === 'demo') continue
      for (const secret of [...secretsOfKey(model.apiKey), ...Object.values(model.headers ?? {})])
        this.#parts.hide(secret)
    }
  }

  #modelOf(config: ModelConfig): Model {
    if (config.kind === 'demo') return demoModel({ cluster: this.#parts.cluster, embedder: this.#embedder() })
    return servedModel({
      ...config,
      learned: this.#refusals.of(config),
      sees: () => this.#facts.of(config).pictures,
    })
  }

  /** The offline encoder, if the settings use it for the memory; its thread starts with the first text. */
  #embedder(): Embedder | undefined {
    const { embeddings } = this.#parts.config
    return embeddings.kind === 'local' ? localEmbedder(embeddings.folder) : undefined
  }

  /** The facts that the server of a configured model gave. */
  #served(id: string): ModelFacts | undefined {
    const own = this.choice.configOf(id)
    return own && this.#facts.served(own)
  }

  /** The facts of a model from its server's lists, and from its refusals of tools. */
  #known(of: ModelConfig): ModelFacts {
    const facts = this.#facts.of(of)
    return this.#refusals.talksOnly(of) ? { ...facts, tools: false } : facts
  }

  /** The facts of a model for people, with the price that applies. Asks the model's server in the background if the facts are old. */
  #shownFacts(of: ModelConfig): ModelFacts {
    void this.#facts.learn(of)
    return withPrice(this.#known(of), this.#prices.priceOf(idOf(of)))
  }
}
