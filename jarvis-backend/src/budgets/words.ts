import type { BudgetLimits, Spending } from 'protocol'

export type Unit = keyof BudgetLimits

/** Formats US dollars for a person: two decimal places, or one significant digit for less than a cent. */
export function dollars(usd: number): string {
  if (usd > 0 && usd < 0.01) return `$${usd.toPrecision(1)}`
  return `$${usd.toFixed(2)}`
}

const count = (value: number) => Math.round(value).toLocaleString('en-US')

/** An amount of a unit, such as `$0.06` or `500,000 tokens`. */
export function amount(unit: Unit, value: number): string {
  switch (unit) {
    case 'usd':
      return dollars(value)
    case 'tokens':
      return `${count(value)} tokens`
    case 'calls':
      return value === 1 ? '1 model call' : `${count(value)} model calls`
    case 'minutes':
      return `${count(value)} min`
    default:
      return unit satisfies never
  }
}

const verb = { usd: 'cost', tokens: 'use', calls: 'make', minutes: 'take' } as const
const past = { usd: 'cost', tokens: 'used', calls: 'made', minutes: 'taken' } as const

/** Returns a sentence about a limit and the use of it. @param who the subject, such as `This run` */
export const used = (who: string, unit: Unit, { most, spent }: { most: number; spent: Spending }): string =>
  `${who} may ${verb[unit]} ${amount(unit, most)}${who === 'This run' ? '' : ' a day'} and has ${past[unit]} ${amount(unit, spent[unit])}.`

/**
 * Returns a sentence about the limit that the next call would exceed.
 * @param who the subject, such as `This run`
 * @param limit.next the maximum that the next call could use
 */
export function refusal(
  who: string,
  unit: Unit,
  { most, spent, next }: { most: number; spent: Spending; next: number },
): string {
  const has = used(who, unit, { most, spent })
  if (unit === 'minutes' || unit === 'calls') return has
  return `${has} The next call could ${verb[unit]} up to ${amount(unit, next)}.`
}

/** Returns a sentence about the amount left. @param room.calls how many more calls of the present size fit; undefined: this is not said */
export function nearly(who: string, unit: Unit, { left, calls }: { left: number; calls: number | undefined }): string {
  const what = `${amount(unit, Math.max(0, left))} ${unit === 'tokens' || unit === 'calls' ? 'are' : 'is'} left for ${who}.`
  if (calls === undefined) return what
  const more = calls === 1 ? '1 more call' : `${calls} more calls`
  return `${what} About ${more} of this size.`
}
