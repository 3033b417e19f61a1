import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Price } from './price-table.ts'

const dollars = z.number().nonnegative()
const rates = { input: dollars, output: dollars, cacheRead: dollars.default(0), cacheWrite: dollars.default(0) }
const Above = z.strictObject({ promptTokens: z.int().positive(), ...rates })
const Prices = z.record(
  z.string(),
  z
    .strictObject({ ...rates, above: Above.optional() })
    .transform(({ above, ...price }): Price => ({ ...price, above })),
)

/** Reads the operator's prices, by `provider/model`. Empty if there is no file. @throws Error with the problem, if the file is not valid */
export function readPrices(path: string): Record<string, Price> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return {}
    throw new Error(`it cannot be read (${code})`, { cause: error })
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Error('it is not JSON', { cause: error })
  }
  const parsed = Prices.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new Error(`${issue?.path.join('.') || 'it'}: ${issue?.message}`)
}
