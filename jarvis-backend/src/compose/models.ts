import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Model, ModelChoice, Turn } from '../agent/model.ts'
import { createTally } from '../agent/tally.ts'
import type { Settings } from '../auth/password.ts'
import type { Journal } from '../calls/ports.ts'
import type { Config } from '../config/config.ts'
import { demo, idOf, type ModelConfig, type ServedModel } from '../config/model.ts'
import { cutWords, largerWindow } from '../doctor/context-checks.ts'
import { mayFollow } from '../doctor/fallbacks.ts'
import { leftOutWords } from '../doctor/left-out.ts'
import { createModelSetup } from '../doctor/model-setup.ts'
import { modelRoutes } from '../http/models.ts'
import type { ModelSeen } from '../http/status-parts.ts'
import type { Clock } from '../lib/clock.ts'
import { type ClusterState, JarvisError, type ModelFallback } from '../protocol/index.ts'
import { createPrices, demoModel, isAtHome, presets, pricedAs, servedModel, windowOf } from '../providers/index.ts'
import type { Learned } from '../providers/learned.ts'
import { createLearnedStore } from './learned.ts'

/** The usual effort's tokens for thinking, in addition to those of the answer. */
const tokensForThinking = 8_192
/** Where the answer's length is the server's to set, tokens. */
const usualAnswer = 8_192

/** Wires the models. The settings may replace them; a turn that has begun ends with its own model. */
export function composeModels(parts: {
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
  const memory = createLearnedStore(parts)
  const made = ([first = demo, ...others]: readonly ModelConfig[]) => ({
    config: first,
    configs: others,
    model: createModel(first, parts.cluster, memory.of),
    others: new Map(others.map((other) => [idOf(other), createModel(other, parts.cluster, memory.of)])),
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
  const models = createModelSetup({
    ...{ config: parts.config, clock, apply, forget: memory.forget },
    leftOut: (provider) =>
      memory.leftOut([config, ...configs].filter((one) => one.provider === provider)).map(([, left]) => left),
  })
  for (const lost of parts.config.modelProblems) parts.announce(redact(lost))
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
  const { costOf, reload } = createPrices(join(parts.config.dataDir, 'prices.json'), {
    pricedAs(id) {
      const [provider = '', ...model] = id.split('/')
      const known = [config, ...configs].find((one) => one.provider === provider)
      // A provider that is gone had its own address where its name is the service's.
      return known === undefined
        ? id
        : known.kind === 'demo'
          ? undefined
          : pricedAs({ ...known, model: model.join('/') })
    },
    announce: parts.announce,
  })
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
      const own = [config, ...configs].find((known) => idOf(known) === asked.id)
      const answer = own?.kind === 'anthropic' ? own.maxTokens + tokensForThinking : usualAnswer
      const { contextTokens } = parts.config
      const named = learned.get(asked.id)
      return windowOf(asked.id, answer, named === undefined ? contextTokens : Math.min(named, contextTokens ?? named))
    },
    learnWindow({ id }: Model, tokens: number) {
      learned.set(id, tokens)
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
      const left = memory.newly(id)
      return left.length === 0 ? undefined : left.map((one) => leftOutWords(id, one)).join(' ')
    },
    /** The tools that are left out, by the models they are left out for. */
    leftOut: () => memory.leftOut([config, ...configs]),
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

export type ComposedModels = ReturnType<typeof composeModels>

type LearnedBy = (config: ServedModel) => Learned

const createModel = (config: ModelConfig, cluster: () => ClusterState, learnedBy: LearnedBy): Model =>
  config.kind === 'demo' ? demoModel({ cluster }) : servedModel({ ...config, learned: learnedBy(config) })
