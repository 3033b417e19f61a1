import { join } from 'node:path'
import { ModelFacts } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import type { KeptTexts } from '../learned-store.ts'
import { type ConfiguredModel, isServed, type ModelServer } from '../model-api.ts'
import { isCloud, pricedAs } from '../places.ts'
import { createPrices } from '../prices.ts'
import { namedFacts } from './named-facts.ts'
import { servedFacts } from './served-facts.ts'

/** After this time a service is asked again, ms. */
const keptMs = 24 * 60 * 60_000
/**
 * The same time for a server that is not a known cloud service, because it may be restarted with another window, and for a server that did not
 * answer, ms.
 */
const keptAtHomeMs = 10 * 60_000
/** Time that a first question waits for the facts of its model, ms. */
const patienceMs = 3_000

/** `isAway`: the server did not answer at `at`; `facts` are older. */
type Kept = { at: number; facts: ModelFacts; isAway?: true }
type Served = ModelServer & { model: string }

const idOf = (model: ConfiguredModel): string => (isServed(model) ? `${model.provider}/${model.model}` : 'demo')

/**
 * The name under which a model's facts are stored. A model at another address or of another kind has another name, so its facts are asked for again.
 */
const keyOf = (model: Served) => `model_facts:${JSON.stringify([model.kind, model.baseUrl ?? '', model.model])}`

function keptOf(settings: Pick<KeptTexts, 'get'>, model: ConfiguredModel): Kept | undefined {
  const text = isServed(model) ? settings.get(keyOf(model)) : undefined
  if (text === undefined) return undefined
  const { at, facts } = JSON.parse(text) as { at: number; facts: unknown }
  const parsed = ModelFacts.safeParse(facts)
  return parsed.success ? { at, facts: parsed.data } : undefined
}

const together = (model: ConfiguredModel, served: ModelFacts | undefined): ModelFacts =>
  isServed(model)
    ? { ...namedFacts(idOf(model)), ...served }
    : { tools: true, pictures: false, thinking: false, price: { input: 0, output: 0 } }

/** Keeps facts about models that their servers give. A model's first question waits for them; later they are updated in the background. */
export class KeptFacts {
  readonly #parts: { settings: KeptTexts; clock: Clock; changed(): void }
  readonly #asking = new Map<string, Promise<void>>()
  readonly #read = new Map<string, Kept | undefined>()

  /** `changed` is called when the facts of a model changed. */
  constructor(parts: { settings: KeptTexts; clock: Clock; changed(): void }) {
    this.#parts = parts
  }

  /** The facts that the server of a model gave; undefined if it gave none yet. */
  served(model: ConfiguredModel): ModelFacts | undefined {
    return this.#kept(model)?.facts
  }

  /** The facts that the server of a model gave. Facts that the server did not give follow from the model's name. */
  of(model: ConfiguredModel): ModelFacts {
    return together(model, this.served(model))
  }

  /** Asks the server of a model unless it was asked lately. @returns resolves when it has answered; at once if something is known */
  learn(model: ConfiguredModel): Promise<void> {
    if (!isServed(model)) return Promise.resolve()
    const { clock } = this.#parts
    const known = this.#kept(model)
    const lastsMs = isCloud(model) && known?.isAway !== true ? keptMs : keptAtHomeMs
    if (known !== undefined && known.at + lastsMs > clock.now()) return Promise.resolve()
    const key = keyOf(model)
    const work =
      this.#asking.get(key) ??
      this.#ask(model)
        .catch(() => {})
        .finally(() => this.#asking.delete(key))
    this.#asking.set(key, work)
    return known === undefined ? withinPatience(work, clock) : Promise.resolve()
  }

  #kept(model: ConfiguredModel): Kept | undefined {
    if (!isServed(model)) return undefined
    const key = keyOf(model)
    if (!this.#read.has(key)) this.#read.set(key, keptOf(this.#parts.settings, model))
    return this.#read.get(key)
  }

  async #ask(model: Served): Promise<void> {
    const { settings, clock } = this.#parts
    const facts = await servedFacts(model, new AbortController().signal)
    const known = this.#kept(model)
    const at = clock.now()
    // If the server does not answer, its earlier facts stay valid.
    const next: Kept = facts === undefined ? { facts: known?.facts ?? {}, at, isAway: true } : { facts, at }
    this.#read.set(keyOf(model), next)
    if (facts === undefined) return
    settings.set(keyOf(model), JSON.stringify(next))
    if (JSON.stringify(facts) !== JSON.stringify(known?.facts)) this.#parts.changed()
  }
}

/** The name of a model in the table of prices, by its id, for `createPrices`; undefined if the table does not price it. */
export function pricedAsAmong(models: readonly ConfiguredModel[], id: string): string | undefined {
  const [provider = '', ...model] = id.split('/')
  const known = models.find((one) => one.provider === provider)
  // The provider was removed. If it had the name of a known service, assume that it had that service's address.
  if (known === undefined) return id
  return isServed(known) ? pricedAs({ ...known, model: model.join('/') }) : undefined
}

/** Returns the facts of a model with the price that applies to it. */
export function withPrice({ price: _, ...facts }: ModelFacts, price: ModelFacts['price'] | undefined): ModelFacts {
  if (price === undefined) return facts
  const { input, output, cacheRead, cacheWrite } = price
  return {
    ...facts,
    price: {
      input,
      output,
      cacheRead,
      cacheWrite,
    },
  }
}

/**
 * Returns a function that gives the known facts of the models in a data dir, for a command of the CLI. Asks no server. @param settings undefined:
 * there is no database yet
 */
export function knownHere(
  { dataDir, models }: { dataDir: string; models: readonly ConfiguredModel[] },
  settings: Pick<KeptTexts, 'get'> | undefined,
  announce: (problem: string) => void,
): (model: ConfiguredModel) => ModelFacts {
  const served = (model: ConfiguredModel | undefined) => settings && model && keptOf(settings, model)?.facts
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
