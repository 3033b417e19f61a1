import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type ClusterState, JarvisError, type ModelFacts, type ModelFallback } from 'protocol'
import type { Model, ModelChoice, Turn } from '../agent/model.ts'
import { createTally } from '../agent/tally.ts'
import type { Settings } from '../auth/password.ts'
import type { Journal } from '../calls/ports.ts'
import { createLearnedStore } from '../compose/learned.ts'
import { createModelFacts, pricedAsAmong, withPrice } from '../compose/model-facts.ts'
import type { Config } from '../config/config.ts'
import { demo, idOf, type ModelConfig, type ServedModel } from '../config/model.ts'
import { cutWords, largerWindow } from '../doctor/context-checks.ts'
import { mayFollow } from '../doctor/fallbacks.ts'
import { leftOutWords } from '../doctor/left-out.ts'
import { ModelSetup } from '../doctor/model-setup.ts'
import type { Foundation } from '../foundation.ts'
import { defineRoom, type JarvisFacts } from '../house.ts'
import { modelRoutes } from '../http/models.ts'
import type { ModelSeen } from '../http/status-parts.ts'
import type { Clock } from '../lib/clock.ts'
import { createPrices, demoModel, isAtHome, presets, servedModel, windowOf } from './index.ts'
import type { Learned } from './learned.ts'

/** The usual effort's tokens for thinking, in addition to those of the answer. */
const tokensForThinking = 8_192
/** Where the answer's length is the server's to set, tokens. */
const usualAnswer = 8_192

/** The models: providers, choice, prices and what was learned of them. Tells `models.changed`; hears `files.changed`. */
export const modelsRoom = defineRoom({
  name: 'models',
  /** `first` and `others`: models in place of the configured ones, for tests. */
  open(needs: {
    foundation: Foundation
    config: Config
    facts: JarvisFacts
    cluster(): ClusterState
    first: Model | undefined
    others: readonly Model[] | undefined
  }) {
    const { foundation, facts, ...parts } = needs
    const modelsChanged = facts.teller('models.changed')
    const models = openModels({
      ...foundation,
      ...parts,
      durably: foundation.database.durably,
      changed() {
        foundation.activity.changed({ what: 'settings' })
        modelsChanged(undefined)
      },
      announce: (problem) => foundation.log(problem, 'warning'),
    })
    facts.on('files.changed', models.look)
    return { models, contributes: { routes: models.routes } }
  },
})

function openModels(parts: {
  config: Config
  /** For tests: answers in place of the configured model. */
  first: Model | undefined
  /** For tests: further models that may be named. */
  others: readonly Model[] | undefined
  clock: Clock
  settings: Settings
  cluster(): ClusterState
  journal: Journal
  durably<T>(work: () => T): T
  hide(secret: string): void
  redact(text: string): string
  changed(): void
  announce(problem: string): void
}) {
  const { clock, journal, durably, hide, redact } = parts
  const facts = createModelFacts(parts)
  const learnedStore = createLearnedStore(parts)
  const memory = { cluster: parts.cluster, facts, learnedOf: learnedStore.of }
  const made = ([first = demo, ...others]: readonly ModelConfig[]) => ({
    config: first,
    configs: others,
    model: createModel(first, memory),
    others: new Map(others.map((other) => [idOf(other), createModel(other, memory)])),
  })
  let { config, configs, model, others } = made(parts.config.models)
  if (parts.first !== undefined) model = parts.first
  if (parts.others !== undefined) others = new Map(parts.others.map((other) => [other.id, other]))
  let seen: ModelSeen = {}
  const cuts = new Map<string, NonNullable<Turn['cut']>>()
  /** The tools that each model called in the text of its newest such answer. */
  const written = new Map<string, readonly string[]>()
  /** Windows that servers named when they refused a request, by model. */
  const learned = new Map<string, number>()
  let fallbacks: readonly ModelFallback[] = parts.config.fallbacks
  function apply(next: readonly ModelConfig[], nextFallbacks: readonly ModelFallback[]) {
    ;({ config, configs, model, others } = made(next))
    fallbacks = nextFallbacks
    seen = {}
    cuts.clear()
    written.clear()
    learned.clear()
    parts.changed()
  }
  const models = new ModelSetup({
    config: parts.config,
    clock,
    apply,
    factsOf: shownFacts,
    forget: learnedStore.forget,
    leftOut: (provider) =>
      learnedStore.leftOut([config, ...configs].filter((one) => one.provider === provider)).map(([, left]) => left),
  })
  const { modelProblems, settingsProblems } = parts.config
  for (const lost of [...settingsProblems, ...modelProblems]) parts.announce(redact(lost))
  let problem: string | undefined
  /** Takes up what another program or a person wrote to the files of the data dir. Where they cannot be used, all stays as it is. */
  function look() {
    try {
      const next = models.look()
      problem = undefined
      if (!isDeepStrictEqual([next.models, next.fallbacks], [[config, ...configs], fallbacks]))
        apply(next.models, next.fallbacks)
    } catch (error) {
      const found = `The models stay as they are: ${redact((error as Error).message)}`
      if (found !== problem) parts.announce(found)
      problem = found
    }
  }
  const routes = modelRoutes({ models, presets, journal, durably, hide })
  const { costOf, priceOf, reload } = createPrices(join(parts.config.dataDir, 'prices.json'), {
    pricedAs: (id) => pricedAsAmong([config, ...configs], id),
    listed(id) {
      const known = configOf(id)
      return known && facts.served(known)?.price
    },
    announce: parts.announce,
  })
  /** Of a model that is configured; of no model of a test. */
  function configOf(id: string): ModelConfig | undefined {
    return [config, ...configs].find((known) => idOf(known) === id)
  }
  /** What its server said of a model, in its lists and by what it refused. */
  function known(of: ModelConfig): ModelFacts {
    return learnedStore.talksOnly(of) ? { ...facts.of(of), tools: false } : facts.of(of)
  }
  /** What is known of a model, for people: with the price that counts. The servers of the others are asked meanwhile. */
  function shownFacts(of: ModelConfig): ModelFacts {
    void facts.learn(of)
    return withPrice(known(of), priceOf(idOf(of)))
  }
  const tally = createTally(costOf)
  const choice: ModelChoice = {
    current: () => model,
    named: (id) => (id === model.id ? model : others.get(id)),
    ids: () => [model.id, ...others.keys()],
    require(id) {
      if (choice.named(id) !== undefined) return
      throw new JarvisError('invalid_request', `model: ${id} is not configured. There are: ${choice.ids().join(', ')}.`)
    },
  }
  return {
    routes,
    choice,
    costOf,
    look() {
      reload()
      look()
    },
    /** What answers where a model fails, in order: those that are configured and may read what was said to it. */
    fallbacksOf({ id }: Model): Model[] {
      const all = [config, ...configs]
      const from = all.find((known) => idOf(known) === id)
      const written = fallbacks.find((known) => known.model === id)
      if (from === undefined || written === undefined) return []
      return written.then.flatMap((next) => {
        const to = all.find((known) => idOf(known) === next)
        const found = to !== undefined && mayFollow(from, to, written.consented) ? choice.named(next) : undefined
        return found === undefined ? [] : [found]
      })
    },
    /**
     * Refuses a model that a program names: one that is not configured, one other than its agent's own, and one elsewhere where the model in
     * use may run at home. @throws JarvisError `invalid_request`
     */
    requireForProgram(ofAgent: string | undefined, named: string) {
      choice.require(named)
      if (ofAgent !== undefined && ofAgent !== named)
        throw new JarvisError('invalid_request', `model: its agent answers with ${ofAgent} alone. Leave it out.`)
      const to = [config, ...configs].find((known) => idOf(known) === named)
      const consented = fallbacks.find((known) => known.model === idOf(config))?.consented
      const isOther = ofAgent === undefined && named !== model.id && to !== undefined
      if (isOther && to.kind !== 'demo' && !mayFollow(config, to, consented))
        throw new JarvisError(
          'invalid_request',
          `model: ${idOf(config)} may run at home, and ${named} is elsewhere. A program cannot choose that; in the dashboard you can.`,
        )
    },
    /** How much a model reads and writes at once. */
    windowOf(asked: Model) {
      const own = configOf(asked.id)
      const longest = own?.kind === 'demo' ? undefined : own?.maxTokens
      const answer = longest === undefined ? usualAnswer : longest + tokensForThinking
      const limits = [learned.get(asked.id), own && facts.served(own)?.windowTokens, parts.config.contextTokens]
      const known = limits.filter((tokens) => tokens !== undefined)
      return windowOf(asked.id, answer, known.length === 0 ? undefined : Math.min(...known))
    },
    learnWindow({ id }: Model, tokens: number) {
      learned.set(id, tokens)
    },
    learnTalksOnly({ id }: Model) {
      const own = configOf(id)
      if (own !== undefined) learnedStore.learnTalksOnly(own)
      parts.changed()
    },
    /** What is known of a model, once its server was asked; a model of a test is given everything. */
    async factsOf({ id }: Model): Promise<ModelFacts> {
      const own = configOf(id)
      if (own === undefined) return {}
      await facts.learn(own)
      return known(own)
    },
    used: tally.add,
    /**
     * Whether a model may be asked for session titles. `auto`: only configured models that do not run on the local network, where each call is slow.
     */
    mayName(asked: Model): boolean {
      const { titles } = parts.config
      if (titles !== 'auto') return titles === 'on'
      if (asked === parts.first || (parts.others?.includes(asked) ?? false)) return false
      const own = [config, ...configs].find((known) => idOf(known) === asked.id)
      return own !== undefined && (own.kind === 'demo' || !isAtHome(own))
    },
    tallies: tally.read,
    model: () => model,
    config: () => config,
    seen: () => ({ id: model.id, isDemo: config.kind === 'demo', seen }),
    /** Notes a request that a server seems to have cut. @returns what to tell a person, the first time of a model */
    cutOff({ id }: Model, cut: NonNullable<Turn['cut']>): string | undefined {
      const isKnown = cuts.has(id)
      cuts.set(id, cut)
      if (isKnown) return undefined
      const message = `${cutWords(id, cut)} ${largerWindow}`
      parts.announce(message)
      return message
    },
    /** What a person is told of tools that were left out for a model since this was asked last. */
    leftOutNow({ id }: Model): string | undefined {
      const left = learnedStore.newly(id)
      return left.length === 0 ? undefined : left.map((one) => leftOutWords(id, one)).join(' ')
    },
    /** The tools that are left out, by the models they are left out for. */
    leftOut: () => learnedStore.leftOut([config, ...configs]),
    /** The newest cut request of each model. */
    cuts: () => [...cuts],
    /** Notes an answer in which a model wrote calls of these tools as text. */
    wrote: ({ id }: Model, toolNames: readonly string[]) => void written.set(id, toolNames),
    /** Each model that wrote calls as text, with the tools of the newest. */
    written: () => [...written],
    /** Notes that the current model answered; a replaced model is ignored. */
    answered(by: Model) {
      if (by === model) seen.okAt = clock.now()
    },
    failed(by: Model, error: unknown) {
      if (by !== model) return
      seen.failedAt = clock.now()
      seen.problem = redact(error instanceof Error ? error.message : String(error))
    },
  }
}

export type ComposedModels = ReturnType<typeof openModels>

type Memory = {
  facts: Pick<ReturnType<typeof createModelFacts>, 'of'>
  learnedOf(config: ServedModel): Learned
  cluster(): ClusterState
}

const createModel = (config: ModelConfig, memory: Memory): Model =>
  config.kind === 'demo'
    ? demoModel({ cluster: memory.cluster })
    : servedModel({
        ...config,
        learned: memory.learnedOf(config),
        sees: () => memory.facts.of(config).pictures,
      })
