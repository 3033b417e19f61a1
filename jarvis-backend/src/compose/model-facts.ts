import { join } from 'node:path'
import { ModelFacts } from 'protocol'
import type { Settings } from '../auth/password.ts'
import { idOf, type ModelConfig } from '../config/model.ts'
import type { Clock } from '../lib/clock.ts'
import { createPrices, isCloud, namedFacts, pricedAs, servedFacts } from '../providers/index.ts'

/** After so long a service is asked again, ms. */
const keptMs = 24 * 60 * 60_000
/** The same of a server of one's own, which is started with another window, and of one that did not answer. */
const keptAtHomeMs = 10 * 60_000
/** How long a first question waits for what its server says of the model, ms. */
const patienceMs = 3_000

type Kept = { at: number; facts: ModelFacts; isAway?: true }

/** What a server said of a model is kept over restarts. Another address or kind begins anew. */
const keyOf = (config: Exclude<ModelConfig, { kind: 'demo' }>) =>
  `model_facts:${JSON.stringify([config.kind, config.baseUrl ?? '', config.model])}`

function keptOf(settings: Pick<Settings, 'get'>, config: ModelConfig): Kept | undefined {
  const text = config.kind === 'demo' ? undefined : settings.get(keyOf(config))
  if (text === undefined) return undefined
  const { at, facts } = JSON.parse(text) as { at: number; facts: unknown }
  const parsed = ModelFacts.safeParse(facts)
  return parsed.success ? { at, facts: parsed.data } : undefined
}

const together = (config: ModelConfig, served: ModelFacts | undefined): ModelFacts =>
  config.kind === 'demo'
    ? { tools: true, pictures: false, thinking: false, price: { input: 0, output: 0 } }
    : { ...namedFacts(idOf(config)), ...served }

/** Asks the servers of models what they can do: before a model's first question, and in the background from then on. */
export function createModelFacts(parts: { settings: Settings; clock: Clock; changed(): void }) {
  const { settings, clock } = parts
  const asking = new Map<string, Promise<void>>()
  const read = new Map<string, Kept | undefined>()
  function kept(config: ModelConfig): Kept | undefined {
    if (config.kind === 'demo') return undefined
    const key = keyOf(config)
    if (!read.has(key)) read.set(key, keptOf(settings, config))
    return read.get(key)
  }

  async function ask(config: Exclude<ModelConfig, { kind: 'demo' }>): Promise<void> {
    const facts = await servedFacts(config, new AbortController().signal)
    const known = kept(config)
    const at = clock.now()
    // What a server that is away said before still counts.
    const next: Kept = facts === undefined ? { facts: known?.facts ?? {}, at, isAway: true } : { facts, at }
    read.set(keyOf(config), next)
    if (facts === undefined) return
    settings.set(keyOf(config), JSON.stringify(next))
    if (JSON.stringify(facts) !== JSON.stringify(known?.facts)) parts.changed()
  }

  /** Asks the server of a model unless it did lately. @returns once that is done; at once where something is known */
  function learn(config: ModelConfig): Promise<void> {
    if (config.kind === 'demo') return Promise.resolve()
    const known = kept(config)
    const lastsMs = isCloud(config) && known?.isAway !== true ? keptMs : keptAtHomeMs
    if (known !== undefined && known.at + lastsMs > clock.now()) return Promise.resolve()
    const key = keyOf(config)
    const work =
      asking.get(key) ??
      ask(config)
        .catch(() => {})
        .finally(() => asking.delete(key))
    asking.set(key, work)
    return known === undefined ? withinPatience(work, clock) : Promise.resolve()
  }
  return {
    /** What the server of a model said; undefined: nothing yet. */
    served: (config: ModelConfig) => kept(config)?.facts,
    of: (config: ModelConfig) => together(config, kept(config)?.facts),
    learn,
  }
}

/** Under which name the table of prices has a model of this id, for `createPrices`. */
export function pricedAsAmong(models: readonly ModelConfig[], id: string): string | undefined {
  const [provider = '', ...model] = id.split('/')
  const known = models.find((one) => one.provider === provider)
  // A provider that is gone had its own address where its name is the service's.
  if (known === undefined) return id
  return known.kind === 'demo' ? undefined : pricedAs({ ...known, model: model.join('/') })
}

/** What is known of a model, with the price that counts for it. */
export function withPrice({ price: _, ...facts }: ModelFacts, price: ModelFacts['price'] | undefined): ModelFacts {
  if (price === undefined) return facts
  const { input, output, cacheRead, cacheWrite } = price
  return {
    ...facts,
    price: {
      input,
      output,
      ...(cacheRead !== undefined && { cacheRead }),
      ...(cacheWrite !== undefined && { cacheWrite }),
    },
  }
}

/** What is known of the models of a data dir, for a command. Nobody is asked. @param settings absent: there is no database yet */
export function knownHere(
  { dataDir, models }: { dataDir: string; models: readonly ModelConfig[] },
  settings: Pick<Settings, 'get'> | undefined,
  announce: (problem: string) => void,
): (model: ModelConfig) => ModelFacts {
  const served = (model: ModelConfig | undefined) => settings && model && keptOf(settings, model)?.facts
  const { priceOf } = createPrices(join(dataDir, 'prices.json'), {
    pricedAs: (id) => pricedAsAmong(models, id),
    listed: (id) => served(models.find((model) => idOf(model) === id))?.price,
    announce,
  })
  return (model) => withPrice(together(model, served(model)), priceOf(idOf(model)))
}

function withinPatience(work: Promise<void>, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const disarm = clock.after(patienceMs, resolve)
    void work.then(() => {
      disarm()
      resolve()
    })
  })
}
