import type { ModelFacts } from 'protocol'
import type { CostOf } from '../agent/spent.ts'
import { readPrices } from './price-file.ts'
import { type Price, shippedPrices } from './price-table.ts'

export interface Prices {
  readonly costOf: CostOf
  priceOf(model: string): Price | undefined
  /** Reads the operator's prices again. */
  reload(): void
}

/**
 * Computes the cost of answers. The operator's prices come first, then the prices that the model's server lists, then the shipped prices. Shipped
 * prices apply only to services whose prices are known, because at another address the same name may be another model.
 * @param parts.pricedAs returns a model's name in the shipped table, by the model's id; undefined: its service has no known prices
 * @param path a JSON file of `{"provider/model": {input, output, cacheRead?, cacheWrite?}}`, dollars per million tokens
 */
export function createPrices(
  path: string,
  parts: {
    pricedAs(model: string): string | undefined
    /** The price that the model's server lists, US dollars per million tokens. Undefined: it lists none. */
    listed?(model: string): ModelFacts['price'] | undefined
    announce(problem: string): void
  },
): Prices {
  let own: Record<string, Price> = {}
  let problem: string | undefined
  function reload() {
    try {
      own = readPrices(path)
      problem = undefined
    } catch (error) {
      // The previous prices stay in force; each problem is announced once.
      const found = `prices.json is not used: ${(error as Error).message}.`
      if (found !== problem) parts.announce(found)
      problem = found
    }
  }
  reload()
  const find = (model: string): Price | undefined =>
    priceOf(own, model) ?? withCaches(parts.listed?.(model)) ?? shippedPriceOf(parts.pricedAs(model))
  return {
    reload,
    priceOf: find,
    costOf(model, { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }) {
      const price = find(model)
      if (price === undefined) return undefined
      const prompt = inputTokens + cacheReadTokens + cacheWriteTokens
      const isLong = price.above !== undefined && prompt > price.above.promptTokens
      const { input, output, cacheRead, cacheWrite } = isLong ? (price.above ?? price) : price
      const millions =
        inputTokens * input + outputTokens * output + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite
      return millions / 1e6
    },
  }
}

/** Adds cache prices to a listed price. A missing price for cache reads or writes defaults to the input price. */
const withCaches = (price: ModelFacts['price'] | undefined): Price | undefined =>
  price && { ...price, cacheRead: price.cacheRead ?? price.input, cacheWrite: price.cacheWrite ?? price.input }

const shippedPriceOf = (name: string | undefined) => (name === undefined ? undefined : priceOf(shippedPrices, name))

const dated = /-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/

/** Returns the price of a model. A name with a date also matches the name without the date. Names such as `constructor` have no price. */
const priceOf = (table: Readonly<Record<string, Price>>, model: string): Price | undefined =>
  [model, model.replace(dated, '')].flatMap((id) => (Object.hasOwn(table, id) ? (table[id] ?? []) : []))[0]
